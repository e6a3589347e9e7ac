// SPDX-License-Identifier: Apache-2.0
// Any bytes as the table of an input. What is refused says why; what is accepted is in order of
// time, finite, and moves a model.

#include "rheonom/rheonom.h"

#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char TEXT[] = "input u from \"u.csv\"\nstate x\nlaw x' = u - x\nstart x = 0\n"
                           "event one: u = 1\nevent two: abs(u) = 2\n";

static void require(bool claim)
{
    if (!claim) {
        abort();
    }
}

static void check_remarks(const rh_record *record)
{
    const size_t count = rh_record_diagnostic_count(record);
    require(count > 0 && rh_record_feed(record).count == 0);
    for (size_t k = 0; k < count; k++) {
        const rh_diagnostic remark = rh_record_diagnostic(record, k);
        require(remark.code[0] == 'E' && remark.message[0] != '\0' && remark.repair != NULL);
        require(remark.at.line > 0 && remark.at.column > 0 && remark.note_at.line == 1);
    }
}

static void check_feed(rh_equations *equations, const rh_feed *feed)
{
    require(feed->count > 0);
    for (size_t k = 0; k < feed->count; k++) {
        require(isfinite(feed->times[k]) && isfinite(feed->values[k]));
        require(k == 0 || feed->times[k] >= feed->times[k - 1]);
    }
    rh_motion_def def = rh_motion_def_default();
    def.feeds = feed;
    def.feed_count = 1;
    def.step_limit = 40;
    rh_motion *motion = NULL;
    require(rh_motion_create(equations, &def, &motion, NULL) == RH_OK);
    rh_stop stop = RH_STOP_NONE;
    require(rh_motion_advance(motion, 10.0, &stop, NULL) == RH_OK);
    rh_motion_destroy(motion);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rh_model_def model_def = rh_model_def_default();
    model_def.text = TEXT;
    model_def.text_size = sizeof TEXT - 1;
    rh_model *model = NULL;
    rh_equations *equations = NULL;
    const rh_equations_def derive = rh_equations_def_default();
    require(rh_model_create(&model_def, &model, NULL) == RH_OK);
    require(rh_equations_create(model, &derive, &equations, NULL) == RH_OK);
    rh_record_def def = rh_record_def_default();
    def.model = model;
    def.text = (const char *)data;
    def.text_size = size;
    rh_record *record = NULL;
    const rh_status status = rh_record_create(&def, &record, NULL);
    require((record != NULL) && (status == RH_OK || status == RH_E_MODEL));
    if (status == RH_OK) {
        const rh_feed feed = rh_record_feed(record);
        check_feed(equations, &feed);
    } else {
        check_remarks(record);
    }
    rh_record_destroy(record);
    rh_equations_destroy(equations);
    rh_model_destroy(model);
    return 0;
}
