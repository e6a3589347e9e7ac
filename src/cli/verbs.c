// SPDX-License-Identifier: Apache-2.0
// The table of verbs: what each is called, takes and does.

#include "cli/cli.h"

#include <string.h>

#define BIT(id) (UINT64_C(1) << CLI_OPTION_##id)
#define LIMITS (BIT(TIME_LIMIT) | BIT(MEMORY_LIMIT))
#define COMMON (BIT(SET) | BIT(START) | BIT(BY) | LIMITS | BIT(JSON) | BIT(QUIET) | BIT(HELP))
#define PLANNED(name, summary)                                                                     \
    {                                                                                              \
        name, "MODEL", true, COMMON, summary, "", NULL                                             \
    }

const cli_verb cli_verbs[] = {
    {"check", "MODEL", true, COMMON | BIT(REPAIR), "read a model and say what it is",
     "Coordinates, states, and every constraint with its kind, level, sides and realisation.\n"
     "A wrong model gets diagnostics instead: each with its place, its reason and, where there\n"
     "is one, its repair.\n",
     cli_check},
    {"equations", "MODEL", true, COMMON | BIT(FORM) | BIT(NO_PRESOLVE) | BIT(LATEX),
     "derive the equations of motion",
     "Forms: free (the released system), multipliers (one for each constraint), reduced (what is\n"
     "integrated), principal (without reactions), quasi (in quasi-velocities). Each says where it\n"
     "is valid. A form with more than 200000 operations is not printed.\n",
     cli_equations},
    {"run", "MODEL", true,
     COMMON | BIT(UNTIL) | BIT(TOL) | BIT(ATOL) | BIT(POINTS) | BIT(AT) | BIT(OUT) | BIT(PLOT) |
         BIT(METHOD) | BIT(STEP) | BIT(TIER) | BIT(CHECKPOINT) | BIT(CHECKPOINT_EVERY) |
         BIT(RESUME) | BIT(REPAIR) | BIT(WORK) | BIT(REVERSE) | BIT(NO_PRESOLVE),
     "compute the motion",
     "From the consistent start to T, or to an event that stops. Prints how far it came, the "
     "state\n"
     "there, multipliers, events, energy and how well the constraints were kept. The table has "
     "one\n"
     "row for each step, or one for each time asked for. What is interrupted (Ctrl-C, a limit, a\n"
     "motion that cannot go on) keeps what was computed so far, and goes on from its checkpoint "
     "with\n"
     "the same bits; the table of the second call has the rows that are missing in the first.\n",
     cli_run},
    {"compare", "MODEL", true,
     COMMON | BIT(UNTIL) | BIT(TOL) | BIT(ATOL) | BIT(POINTS) | BIT(AT) | BIT(OUT) | BIT(PLOT) |
         BIT(METHOD) | BIT(STEP) | BIT(TIER) | BIT(REPAIR) | BIT(NO_PRESOLVE),
     "run a model under several realisations side by side",
     "Each --by is one variant: --by blade=ideal --by blade=vakonomic, or several constraints at\n"
     "once: --by \"a=ideal, b=friction(5)\". With one --by the model as written is the first\n"
     "variant. Prints a table with a column for each: the last state, multipliers, events, "
     "energy,\n"
     "work, and the largest differences from the first variant. A variant that stops loses none "
     "of\n"
     "the others. Columns of the table are NAME@1, NAME@2, ...; without --points and --at it has "
     "1001\n"
     "rows.\n",
     cli_compare},
    {"sweep", "MODEL", true,
     COMMON | BIT(UNTIL) | BIT(TOL) | BIT(ATOL) | BIT(OUT) | BIT(METHOD) | BIT(TIER) | BIT(REPAIR) |
         BIT(NO_PRESOLVE) | BIT(GRID) | BIT(RANDOM) | BIT(MEMBERS) | BIT(SEED) | BIT(OBSERVE) |
         BIT(JOBS) | BIT(LANES) | BIT(GO_ON),
     "run many members",
     "The model over grids and random draws of parameters and start values: --grid w3=0:10:200,\n"
     "--random \"theta=normal(0.1, 0.02)\" --members 1000 --seed 7. Each member is one row of the\n"
     "table: what was varied, what was observed (--observe \"peak(theta), final(energy)\"), and "
     "how\n"
     "it ended. A member that fails is a row too. What a member gives depends on its number "
     "alone,\n"
     "not on threads or processes (mpirun rheonom sweep ...). What is done is kept in "
     "OUT.members;\n"
     "after any interruption --resume goes on and gives the same bytes.\n",
     cli_sweep},
    {"orbit", "MODEL", true,
     COMMON | BIT(FREE) | BIT(PERIOD) | BIT(FIX_PERIOD) | BIT(SYMMETRY) | BIT(CONTINUE) | BIT(TOL) |
         BIT(ATOL) | BIT(OUT) | BIT(PLOT) | BIT(REPAIR) | BIT(WHOLE_STEPS),
     "find periodic orbits and their multipliers",
     "Newton's method with exact tangents, from the start of the model: --free xi,eta says which\n"
     "start values may change, --period where the period begins (without it the motion is watched\n"
     "until it comes back). A symmetry halves the way: --symmetry \"xi=-xi, p=-p\". Where the\n"
     "equations contain the time the period is fixed and must be given. Prints start, period,\n"
     "Floquet multipliers and whether it is stable; or that the search fell onto a point of "
     "rest.\n",
     cli_orbit},
    {"average", "MODEL", true, COMMON | BIT(UNKNOWN) | BIT(PLOT) | BIT(REPAIR),
     "average the reactions over the generating orbit",
     "For models held by as many restrictions `... = const` as there are selected variables. "
     "Without\n"
     "unknowns: the mean reaction of each over the orbit through the start. With them, as many as\n"
     "restrictions: all orbits in the box on which the means vanish, near which the released "
     "system\n"
     "has a periodic orbit. That there is none is an answer.\n",
     cli_average},
    {"inverse", "MODEL", true, COMMON, "find a Lagrangian or say why there is none",
     "The modified Helmholtz conditions (4.1) to (4.8) for the equations as written (law, "
     "equation)\n"
     "or as derived, one by one, then for the equations multiplied by their inertia. Where they "
     "hold:\n"
     "a Lagrangian L and a dissipative function D, checked, with their parts. Where they fail: "
     "which\n"
     "indices, and a point with the residuals. What is called proved is proved by exact algebra. "
     "For\n"
     "states in canonical pairs (pair x, p): is the field Hamiltonian, and with which H.\n",
     cli_inverse},
    {"steady", "MODEL", true,
     COMMON | BIT(FIX) | BIT(GUESS) | BIT(CONTINUE) | BIT(OUT) | BIT(REQUIRE) | BIT(REPAIR) |
         BIT(CERTIFY) | BIT(CERTIFICATE),
     "find steady motions and judge their stability",
     "Motions on which only cyclic coordinates move: --fix theta=0.5 --fix w3=6 says what they "
     "shall\n"
     "have, --guess w2=1 where the search begins. Prints the split into positional and cyclic\n"
     "coordinates, all motions found, the dimension of the family, the matrix of the linear part, "
     "its\n"
     "roots and the verdict with its reason. --continue w3=1:10 follows the motion and marks where "
     "the\n"
     "verdict changes. Points of rest of any model are found by the same verb. --certify proves "
     "the\n"
     "verdict for the model as written; --certificate FILE keeps the proof.\n",
     cli_steady},
    {"chart", "MODEL", true,
     COMMON | BIT(AXIS_X) | BIT(AXIS_Y) | BIT(SOLVE) | BIT(FIX) | BIT(GUESS) | BIT(BRANCH) |
         BIT(OUT) | BIT(CURVES) | BIT(JOBS) | BIT(REPAIR),
     "draw the stability verdict over a grid",
     "The verdict of `steady` for every point of a grid: --x w3=0:10:200 --y theta=0:1.2:200\n"
     "--solve w2 --out chart.svg (or .csv, or - for CSV on stdout). The steady motion in the "
     "middle of\n"
     "the grid is found and followed from point to point; --guess or --branch 2 choose another one "
     "of\n"
     "several. The border between two verdicts is a curve whose points are roots, not pixels: "
     "--curves\n"
     "FILE.csv and --json have them. Points that the branch does not reach are \"none\".\n",
     cli_chart},
    {"optimise", "MODEL", true, COMMON | BIT(OVER) | BIT(FIX) | BIT(GUESS) | BIT(REPAIR),
     "push the rightmost root furthest left",
     "Parameters, and quantities of the steady motion, in ranges: --over h=0:20. Looks for the "
     "values\n"
     "that push the rightmost of the remaining roots as far to the left as they can, the motion "
     "solved\n"
     "anew for each of them, and prints it there as `steady` does. Optima at double roots, where\n"
     "nothing is smooth, are what it is made for.\n",
     cli_optimise},
    {"linearise", "MODEL", true,
     COMMON | BIT(FIX) | BIT(GUESS) | BIT(INPUT) | BIT(OUTPUT) | BIT(REPAIR),
     "linearise the reduced system",
     "x' = A x + B u, y = C x + D u around the start, or around the steady motion that --fix and\n"
     "--guess describe. --input names inputs or parameters of the model, --output variables or\n"
     "expressions.\n",
     cli_linearise},
    {"program", "MODEL", true,
     COMMON | BIT(BOX) | BIT(MATRIX) | BIT(FUNCTION) | BIT(PERIOD) | BIT(CERTIFY) | BIT(REPAIR),
     "judge the perturbation equations of program constraints",
     "What the deviations of constraints with a law (`with`) do: matrix and roots, a Lyapunov\n"
     "function, the verdict, overshoot from the start, the largest amplification, and the steps\n"
     "that explicit methods may take. A law that is not linear is judged by its first "
     "approximation\n"
     "(local), or by a function of yours in a region (--function V --box ...). A law that depends "
     "on\n"
     "the state is judged in the region of --box: looked at in points of it, or with --certify\n"
     "proved. One that depends on the time with a period (seen, or --period) is judged by its\n"
     "multipliers. What is inconclusive is not unstable.\n",
     cli_program},
    {"certificate", "FILE", true, LIMITS | BIT(JSON) | BIT(QUIET) | BIT(HELP),
     "check a certificate without trusting its writer",
     "FILE was written by steady --certificate FILE. Everything is derived anew from the model in "
     "it,\n"
     "in exact algebra and ball arithmetic. Says claim by claim what was proved; ends with exit "
     "code 4\n"
     "when a claim was not.\n",
     cli_certificate},
    {"export", "MODEL", true,
     COMMON | BIT(C) | BIT(UNTIL) | BIT(TOL) | BIT(REPAIR) | BIT(NO_PRESOLVE),
     "write the model as self-contained C",
     "--c DIR gets model.h, model.c, test.c, a Makefile and a README: Taylor series of the model "
     "with\n"
     "the values of its parameters, steps with them, and a test that moves from the start to T\n"
     "(--until, default one unit of time after the start) and compares with what this program\n"
     "computes. They need nothing but C99. A directory that holds something else is left alone.\n",
     cli_export},
    {"dump", "MODEL", true, COMMON | BIT(STAGE) | BIT(NO_PRESOLVE),
     "show the canonical text of a stage",
     "Stages: ast (the tree of the text), model (the default: the model as understood),\n"
     "equations (before and after the presolve), tape (programs). Of a wrong model only the\n"
     "tree can be shown.\n",
     cli_dump},
    {"explain", "CODE", false, BIT(JSON) | BIT(QUIET) | BIT(HELP),
     "show the long text of a diagnostic", "Without a CODE all codes are listed.\n", cli_explain},
    PLANNED("report", "write the model and its results as one page"),
    {NULL, NULL, false, 0, NULL, NULL, NULL},
};

const cli_verb *cli_verb_find(const char *name)
{
    for (const cli_verb *verb = cli_verbs; verb->name != NULL; verb++) {
        if (strcmp(verb->name, name) == 0) {
            return verb;
        }
    }
    return NULL;
}
