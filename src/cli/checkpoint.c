// SPDX-License-Identifier: Apache-2.0
// Checkpoints: the state of the motion in a file, from which another call goes on. When it is
// written is decided by the number of steps, but not more often than once a second: what is in it
// does not depend on the clock, only how old it may be when the program is killed.

#include "cli/run.h"

#include <stdlib.h>

enum { LARGEST = 1 << 30, SECONDS = 1 };

static const uint64_t USUAL = 1000;

static rh_status write_state(cli_checkpoint *checkpoint, rh_motion *motion, rh_error *err)
{
    rh_file *file = NULL;
    const uint64_t steps = rh_motion_kept_steps(motion);
    rh_status status = rh_file_begin(checkpoint->path, &file, err);
    if (status != RH_OK) {
        return status;
    }
    rh_error unheard = RH_ZERO;
    const rh_status saved = rh_motion_save(motion, rh_file_sink(file), err);
    // where the disk refused, the file knows the reason
    status = rh_file_end(file, saved == RH_OK || saved == RH_E_WRITE,
                         saved == RH_E_MEMORY ? &unheard : err);
    if (saved == RH_OK && status == RH_OK) {
        checkpoint->steps = steps;
        checkpoint->written = cli_patience_clock();
    }
    return saved == RH_E_MEMORY ? saved : status;
}

static cli_exit resume(const char *path, rh_motion *motion)
{
    cli_intake bytes;
    cli_exit result = cli_intake_read(path, LARGEST, &bytes);
    rh_error err = RH_ZERO;
    if (result == CLI_DONE) {
        const rh_status status =
            rh_motion_load(motion, bytes.size > 0 ? bytes.data : "", bytes.size, &err);
        if (status == RH_E_ARGUMENT) {
            cli_talk("cannot resume from %s: %s", bytes.name, err.message);
            result = CLI_WRONG_CALL;
        } else {
            result = cli_talk_status(status, &err);
        }
    }
    free(bytes.data);
    return result;
}

cli_exit cli_checkpoint_begin(const cli_options *options, const cli_request *request,
                              rh_motion *motion, cli_checkpoint *out)
{
    *out = (cli_checkpoint){.path = options->checkpoint,
                            .every = request->every > 0 ? request->every : USUAL};
    if (options->checkpoint == NULL && options->resume == NULL) {
        return CLI_DONE;
    }
    rh_error err = RH_ZERO;
    rh_keep_def def = rh_keep_def_default();
    def.every = request->every;
    cli_exit result = cli_talk_status(rh_motion_keep(motion, &def, &err), &err);
    if (result == CLI_DONE && options->resume != NULL) {
        result = resume(options->resume, motion);
    }
    // a first one, so that a name where nothing can be written is known before anything is computed
    if (result == CLI_DONE && out->path != NULL) {
        const rh_status status = write_state(out, motion, &err);
        if (status == RH_E_WRITE) {
            cli_talk("%s", err.message);
            return CLI_WRONG_CALL;
        }
        result = cli_talk_status(status, &err);
    }
    return result;
}

rh_status cli_checkpoint_pass(cli_checkpoint *checkpoint, rh_motion *motion, bool is_last,
                              rh_error *err)
{
    if (checkpoint->path == NULL) {
        return RH_OK;
    }
    const uint64_t steps = rh_motion_kept_steps(motion);
    const bool is_due = steps / checkpoint->every != checkpoint->steps / checkpoint->every &&
                        cli_patience_clock() - checkpoint->written > SECONDS;
    return (is_due || is_last) && steps != checkpoint->steps ? write_state(checkpoint, motion, err)
                                                             : RH_OK;
}
