#include "tape/emit.h"
rh_status rh__emit_loops(rh_emission *in)
{
    return rh__emit_unrolled(in);
}
