// SPDX-License-Identifier: Apache-2.0
// A C++ program on the shared library: link VERSION.

#include <rheonom/rheonom.h>

#include <cstdio>
#include <cstring>

int main(int count, char **arguments)
{
    rh_model_def def = rh_model_def_default();
    def.text = "state x\nlaw x' = -x\n";
    def.text_size = std::strlen(def.text);
    rh_model *model = nullptr;
    const rh_status status = rh_model_create(&def, &model, nullptr);
    rh_model_destroy(model);
    const bool is_same = count == 2 && std::strcmp(arguments[1], rh_version()) == 0;
    std::printf("%s, version %s\n", rh_status_text(status), rh_version());
    return status == RH_OK && is_same ? 0 : 1;
}
