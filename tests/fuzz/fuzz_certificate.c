// SPDX-License-Identifier: Apache-2.0
// Any bytes as a certificate: the check ends, and says no more than it proved.

#include "rheonom/rheonom.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// So many questions are a long time for a text of this size.
static bool goes_on(void *user)
{
    uint32_t *left = user;
    *left -= *left > 0;
    return *left > 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint32_t left = 2000;
    rh_certificate_def def = rh_certificate_def_default();
    def.memory_limit = (size_t)256 << 20;
    def.precision = 768;
    def.goes_on = goes_on;
    def.goes_on_user = &left;
    rh_certificate *certificate = NULL;
    rh_error err = RH_ZERO;
    const rh_status status =
        rh_certificate_check((const char *)data, size, &def, &certificate, &err);
    if ((certificate != NULL) != (status == RH_OK)) {
        abort();
    }
    bool is_proved = certificate != NULL;
    for (size_t k = 0; certificate != NULL && k < rh_certificate_claim_count(certificate); k++) {
        is_proved =
            is_proved && rh_certificate_claim_at(certificate, k).state == RH_CERTIFICATE_PROVED;
    }
    if (certificate != NULL && rh_certificate_holds(certificate) != is_proved) {
        abort();
    }
    rh_certificate_destroy(certificate);
    return 0;
}
