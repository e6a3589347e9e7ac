// SPDX-License-Identifier: Apache-2.0
// One-sided constraints against motions known without this code: what acts at the start, every
// event with its time, states and multipliers. R.. are the reference cases of the project's notes
// on theory, computed with 34 digits; the others have their closed forms beside them. By Taylor
// series with presolve and without, and by the other methods as far as those go.

#include "gating.h"

#define PI 3.14159265358979323846

// --- one constraint ------------------------------------------------------------------------------

#define PLANE "coord x, y\nkinetic (x'^2 + y'^2)/2\n"
#define BLADE "constraint blade: -x'*sin(th) + y'*cos(th) >= 0\n"
#define SLEIGH "coord x, y, th\nkinetic (x'^2 + y'^2 + th'^2)/2\n"
#define OFFSET                                                                                     \
    "param m = 1, J = 1, a = 1/2\ncoord x, y, th\n"                                                \
    "kinetic m/2*((x' - a*th'*sin(th))^2 + (y' + a*th'*cos(th))^2) + J*th'^2/2\n"

static const gating SLEIGHS[] = {
    {.source = "R09",
     .text = SLEIGH BLADE "start x = 0, y = 0, th = 0, x' = 1, y' = 0, th' = -1\n",
     .tolerance = 1e-11,
     .events = {{RH_OCCURRENCE_ENGAGE, PI, "blade"}},
     .values = {{0.0, "lambda.blade", 0.0},
                {4.0, "lambda.blade", 1.0},
                {5.0, "x", 4.1005169282529317074},
                {5.0, "y", -1.2836621854632262645},
                {5.0, "th", -5.0},
                {5.0, "x'", -0.28366218546322626447},
                {5.0, "y'", -0.95892427466313846889},
                {5.0, "th'", -1.0},
                {5.0, "lambda.blade", 1.0}}},
    // from the end of R09 with all velocities turned round: a circle, not the way back
    {.source = "R10",
     .text = SLEIGH BLADE "start x = 4.1005169282529317074, y = -1.2836621854632262645, th = -5\n"
                          "start x' = 0.28366218546322626447, y' = 0.95892427466313846889\n"
                          "start th' = 1\n",
     .tolerance = 1e-11,
     .acting = "blade",
     .values = {{1.8584073464102067615, "x", PI},
                {1.8584073464102067615, "y", 0.0},
                {1.8584073464102067615, "th", -PI},
                {1.8584073464102067615, "x'", -1.0},
                {1.8584073464102067615, "y'", 0.0},
                {5.0, "x", PI},
                {5.0, "y", -2.0},
                {5.0, "th", 0.0},
                {5.0, "x'", 1.0},
                {5.0, "y'", 0.0},
                {5.0, "th'", 1.0}}},
    {.source = "R12",
     .text = OFFSET BLADE "start x = 0, y = 0, th = 0, x' = 1, y' = 1/2, th' = -1\n",
     .tolerance = 1e-10,
     .events = {{RH_OCCURRENCE_ENGAGE, 3.6651914291880921115, "blade"},
                {RH_OCCURRENCE_LEAVE, 4.9250939122673785138, "blade"},
                {RH_OCCURRENCE_GRAZE, 9.892388045165429131, "blade"}},
     .values = {{3.6651914291880921115, "x", 4.59820413108031143},
                {3.6651914291880921115, "y", -0.25},
                {3.6651914291880921115, "th", -3.66519142918809211},
                {3.6651914291880921115, "x'", 0.75},
                {3.6651914291880921115, "y'", -0.433012701892219323},
                {3.6651914291880921115, "th'", -1.0},
                {4.9250939122673785138, "x", 4.89966886361469926},
                {4.9250939122673785138, "y", -0.714166105857478881},
                {4.9250939122673785138, "th", -5.13888999841343438},
                {4.9250939122673785138, "x'", 0.0},
                {4.9250939122673785138, "y'", 0.0},
                {4.9250939122673785138, "th'", -1.26491106406735173},
                {14.0, "x", 10.638760220841058491},
                {14.0, "y", -3.0280210864713810936},
                {14.0, "th", -16.617839114158592626},
                {14.0, "x'", 0.07652159880146036471},
                {14.0, "y'", -0.64986802385201553535},
                {14.0, "th'", -1.2649110640673517328}}},
    // R14: whether it leaves is the same for all directions of control, the multiplier is not:
    // k = -th' lon = -1, pi = 1/m - a d/J
    {.source = "R14, d = 1, pushed",
     .text = OFFSET "constraint blade: -x'*sin(th) + y'*cos(th) >= 0 "
                    "by servo(x: -sin(th), y: cos(th), th: a + 1)\n"
                    "start x = 0, y = 0, th = 0, x' = 1, y' = 0, th' = 1\n",
     .tolerance = 1e-12,
     .acting = "blade",
     .values = {{0.0, "lambda.blade", 2.0}, {0.1, "dev.blade", 0.0}}},
    {.source = "R14, d = 3, pushed",
     .text = OFFSET "constraint blade: -x'*sin(th) + y'*cos(th) >= 0 "
                    "by servo(x: -sin(th), y: cos(th), th: a + 3)\n"
                    "start x = 0, y = 0, th = 0, x' = 1, y' = 0, th' = 1\n",
     .tolerance = 1e-12,
     .acting = "blade",
     .values = {{0.0, "lambda.blade", -2.0}, {0.1, "dev.blade", 0.0}}},
    {.source = "R14, d = 1, pulled",
     .text = OFFSET "constraint blade: -x'*sin(th) + y'*cos(th) >= 0 "
                    "by servo(x: -sin(th), y: cos(th), th: a + 1)\n"
                    "start x = 0, y = 0, th = 0, x' = 1, y' = 0, th' = -1\n",
     .tolerance = 1e-12,
     .values = {{0.0, "lambda.blade", 0.0}, {0.1, "lambda.blade", 0.0}}},
    {.source = "R14, d = 3, pulled",
     .text = OFFSET "constraint blade: -x'*sin(th) + y'*cos(th) >= 0 "
                    "by servo(x: -sin(th), y: cos(th), th: a + 3)\n"
                    "start x = 0, y = 0, th = 0, x' = 1, y' = 0, th' = -1\n",
     .tolerance = 1e-12,
     .values = {{0.0, "lambda.blade", 0.0}, {0.1, "lambda.blade", 0.0}}},
    // a straight line: the blade could act or not
    {.source = "R16 neutral",
     .text = SLEIGH BLADE "start x = 0, y = 0, th = 0, x' = 1, y' = 0, th' = 0\n",
     .tolerance = 1e-13,
     .acting = "blade",
     .is_neutral = true,
     .values = {{5.0, "x", 5.0}, {5.0, "y", 0.0}, {5.0, "lambda.blade", 0.0}}},
    {.source = "R18",
     .text = SLEIGH "force th: -sin(t)\n" BLADE
                    "start x = 0, y = 0, th = 0, x' = 1, y' = 0, th' = 13/10\n",
     .tolerance = 1e-10,
     .acting = "blade",
     .events = {{RH_OCCURRENCE_LEAVE, 1.87548898081029413, "blade"},
                {RH_OCCURRENCE_ENGAGE, 5.99682581082701878, "blade"},
                {RH_OCCURRENCE_LEAVE, 8.1586742879898806, "blade"},
                {RH_OCCURRENCE_ENGAGE, 12.2800111180066053, "blade"},
                {RH_OCCURRENCE_LEAVE, 14.4418595951694671, "blade"},
                {RH_OCCURRENCE_ENGAGE, 18.5631964251861917, "blade"}},
     .values = {{20.0, "x", -1.1658330095418379935},
                {20.0, "y", -0.21375733145247803567},
                {20.0, "th", 6.9129452507276276544},
                {20.0, "x'", 0.80816891302893433385},
                {20.0, "y'", 0.58895076875205008322},
                {20.0, "th'", 0.70808206181339198606}}},
    // lambda = (t - 1)^2 touches zero and goes on
    {.source = "R25 (a)",
     .text = SLEIGH "force th: 2*(t - 1)\n" BLADE
                    "start x = 0, y = 0, th = 0, x' = 1, y' = 0, th' = 1\n",
     .tolerance = 1e-9,
     .acting = "blade",
     .values = {{1.0, "lambda.blade", 0.0},
                {2.0, "x", 1.8749891697159811745},
                {2.0, "y", 0.64922165530804531971},
                {2.0, "th", 0.66666666666666666667},
                {2.0, "x'", 0.78588726077694800072},
                {2.0, "y'", 0.61836980306973700775},
                {2.0, "th'", 1.0}}},
    // a triple root: how well its place is known in double precision is the cube root of rounding
    {.source = "R25 (b)",
     .text = SLEIGH "force th: -3*(1 - t)^2\n" BLADE
                    "start x = 0, y = 0, th = 0, x' = 1, y' = 0, th' = 1\n",
     .tolerance = 1e-9,
     .acting = "blade",
     .first = 1e-4,
     .events = {{RH_OCCURRENCE_LEAVE, 1.0, "blade"},
                {RH_OCCURRENCE_ENGAGE, 2.8827925275534296253, "blade"}},
     .values = {{3.5, "x", 2.8638161900258734248},
                {3.5, "y", 0.60090016787079137412},
                {3.5, "th", -9.515625},
                {3.5, "x'", 0.99587624507813557388},
                {3.5, "y'", -0.090722127891012626721},
                {3.5, "th'", -15.625}}},
};

#define AIM "constraint aim: x' + y'*cos(x) >= 0 by servo(y: 1)\n"

static const gating SINGLES[] = {
    // R06, kept by a servo on one side: a = 5, P = 15
    {.source = "R06 one-sided",
     .text = "coord x, z\nkinetic 2*x'^2/2 + 3*z'^2/2\nforce x: 10\n"
             "constraint rod: z' - x' >= 0 by servo(z: 1)\nstart x = 0, z = 1, x' = 0, z' = 0\n",
     .tolerance = 1e-13,
     .acting = "rod",
     .values = {{0.0, "lambda.rod", 15.0}, {2.0, "x'", 10.0}, {2.0, "z'", 10.0}}},
    {.source = "R06 one-sided, ideal",
     .text = "coord x, z\nkinetic 2*x'^2/2 + 3*z'^2/2\nforce x: 10\n"
             "constraint rod: z' - x' >= 0\nstart x = 0, z = 1, x' = 0, z' = 0\n",
     .tolerance = 1e-13,
     .acting = "rod",
     .values = {{0.0, "lambda.rod", 6.0}, {2.0, "x'", 4.0}, {2.0, "z'", 4.0}}},
    // control is lost at x = pi/2: free by then, so nothing stops
    {.source = "R13 one-sided",
     .text = PLANE AIM "start x = -1, y = 0, x' = 1, y' = -1/cos(1)\n",
     .tolerance = 1e-10,
     .acting = "aim",
     .events = {{RH_OCCURRENCE_LEAVE, 1.0, "aim"}},
     .values = {{4.0, "x", 3.0},
                {4.0, "y", -4.2261911708835170708},
                {4.0, "x'", 1.0},
                {4.0, "y'", -1.0}}},
    // pi < 0: the multiplier that pushes is negative
    {.source = "R13, x = 2",
     .text = PLANE AIM "start x = 2, y = 0, x' = 1, y' = -1/cos(2)\n",
     .tolerance = 1e-10,
     .acting = "aim",
     .values = {{0.0, "lambda.aim", -5.2506463376995802058},
                {1.0, "x", 3.0},
                {1.0, "y", 1.3813842851732770468},
                {1.0, "x'", 1.0},
                {1.0, "y'", 1.0101086659079937513}}},
    {.source = "R13, x = 4",
     .text = PLANE AIM "start x = 4, y = 0, x' = 1, y' = -1/cos(4)\n",
     .tolerance = 1e-10,
     .values = {{0.0, "lambda.aim", 0.0},
                {0.5, "x", 4.5},
                {0.5, "y", 0.76494282823319878731},
                {0.5, "x'", 1.0},
                {0.5, "y'", 1.5298856564663975746}}},
    {.source = "R15",
     .text = PLANE "force y: -1\nconstraint speed: (x'^2 + y'^2 - 1)/2 >= 0\n"
                   "start x = 0, y = 0, x' = 1/2, y' = 3/2\n",
     .tolerance = 1e-11,
     .events = {{RH_OCCURRENCE_ENGAGE, 0.63397459621556135324, "speed"},
                {RH_OCCURRENCE_LEAVE, 1.9509324931403780619, "speed"}},
     .values = {{0.63397459621557, "lambda.speed", 0.86602540378443864676},
                {1.9509324931403780619, "x'", 1.0},
                {1.9509324931403780619, "y'", 0.0},
                {3.0, "x", 2.4132523561640003609},
                {3.0, "y", 0.8928758635856138483},
                {3.0, "x'", 1.0},
                {3.0, "y'", -1.0490675068596219381}}},
    {.source = "R19 (a)",
     .text = "coord x\nkinetic x'^2/2\npotential x^2/2\nforce x: t/4\nconstraint up: x' >= 0\n"
             "start x = 0, x' = 1\n",
     .tolerance = 1e-10,
     .events = {{RH_OCCURRENCE_ENGAGE, 1.9106332362490185563, "up"},
                {RH_OCCURRENCE_LEAVE, 4.7390603609952086539, "up"},
                {RH_OCCURRENCE_GRAZE, 11.022245668174795131, "up"}},
     .values = {{12.0, "x", 2.792688902592854819}, {12.0, "x'", 0.1102784594565134255}}},
    // the same as a first-order system; the weight changes the multiplier only
    {.source = "R19 (a) in states",
     .text = "state x, v\nlaw x' = v\nlaw 3*v' = 3*(-x + t/4)\nselect v\nconstraint up: v >= 0\n"
             "start x = 0, v = 1\n",
     .tolerance = 1e-10,
     .events = {{RH_OCCURRENCE_ENGAGE, 1.9106332362490185563, "up"},
                {RH_OCCURRENCE_LEAVE, 4.7390603609952086539, "up"},
                {RH_OCCURRENCE_GRAZE, 11.022245668174795131, "up"}},
     .values = {{12.0, "x", 2.792688902592854819}, {12.0, "v", 0.1102784594565134255}}},
    {.source = "R19 (b)",
     .text = PLANE "potential x^2/2 + 2*y^2\nconstraint speed: (x'^2 + y'^2 - 1)/2 >= 0\n"
                   "start x = 1, y = 1/2, x' = 0, y' = 6/5\n",
     .tolerance = 1e-10,
     .events = {{RH_OCCURRENCE_ENGAGE, 0.0924360842648868775, "speed"},
                {RH_OCCURRENCE_LEAVE, 0.593485734643042484, "speed"},
                {RH_OCCURRENCE_ENGAGE, 2.06547219105757155, "speed"},
                {RH_OCCURRENCE_LEAVE, 2.31112362561064443, "speed"},
                {RH_OCCURRENCE_GRAZE, 5.4527162792004376706, "speed"},
                {RH_OCCURRENCE_GRAZE, 8.5943089327902309090, "speed"}},
     .values = {{10.0, "x", -1.1355585388142182584},
                {10.0, "y", 0.98567855373138847051},
                {10.0, "x'", 0.965898016280647606},
                {10.0, "y'", 0.38470376187366543814}}},
};

// --- type II -------------------------------------------------------------------------------------

#define RATCHET "coord x\nkinetic x'^2/2\nforce x: cos(t)\nconstraint up: x' >= 0"

static const gating TYPE_TWO[] = {
    {.source = "R24 nonholonomic",
     .text = RATCHET "\nstart x = 0, x' = 0\n",
     .tolerance = 1e-12,
     .events = {{RH_OCCURRENCE_ENGAGE, PI, "up"}, {RH_OCCURRENCE_LEAVE, 1.5 * PI, "up"}},
     .values = {{4.0, "x", 2.0},
                {4.0, "lambda.up", 0.65364362086361191464}, // -cos 4
                {7.0, "x", 3.5337087652720055042},
                {7.0, "x'", 1.6569865987187890904}}},
    {.source = "R24 vakonomic",
     .text = RATCHET " by vakonomic\nstart x = 0, x' = 0\n",
     .tolerance = 1e-12,
     .events = {{RH_OCCURRENCE_ENGAGE, PI, "up"}, {RH_OCCURRENCE_LEAVE, 2.0 * PI, "up"}},
     .values = {{5.0, "lambda.up", -0.95892427466313846889},
                {7.0, "x", 2.2460977456566953619},
                {7.0, "x'", 0.6569865987187890904},
                {7.0, "lambda.up", 0.0}}},
    // `hold` is a servo with the extra state lambda' = cos t while it acts: -1 at 3 pi/2, kept
    {.source = "R24 hold",
     .text = RATCHET " by vakonomic(hold)\nstart x = 0, x' = 0, lambda.up = 1/4\n",
     .tolerance = 1e-12,
     .events = {{RH_OCCURRENCE_ENGAGE, PI, "up"}, {RH_OCCURRENCE_LEAVE, 1.5 * PI, "up"}},
     .values = {{1.0, "lambda.up", 0.25},
                {4.0, "lambda.up", 0.25 - 0.75680249530792825137}, // sin 4
                {7.0, "lambda.up", -0.75},
                {7.0, "x", 3.5337087652720055042},
                {7.0, "x'", 1.6569865987187890904}}},
    // begun on the constraint with an admissible multiplier: lambda = -1/2 + sin t until that is
    // zero, t = pi/6; then x' = sin t - 1/2 until 5 pi/6 ...
    {.source = "R24 vakonomic, begun at -1/2",
     .text = RATCHET " by vakonomic\nstart x = 0, x' = 0, lambda.up = -1/2\n",
     .tolerance = 1e-12,
     .acting = "up",
     .events = {{RH_OCCURRENCE_LEAVE, PI / 6.0, "up"},
                {RH_OCCURRENCE_ENGAGE, 5.0 * PI / 6.0, "up"}},
     .values = {{0.25, "lambda.up", -0.5 + 0.24740395925452292960}, // sin 1/4
                {2.0, "x'", 0.90929742682568169540 - 0.5},          // sin 2
                {5.0, "x'", 0.0},
                {5.0, "lambda.up", -0.95892427466313846889 - 0.5}}},
    // R22 on one side: lambda = |P| - 1 with P = (0.6, 0.8 - t) is not negative until |P| = 1 ...
    // here the speed falls at once (k = -0.8), pi_lam > 0 and |P| - 1 < 0: it pushes by losing
    // mass. |P| = 1 again at t = 1.6; from there on it is free, P = v.
    {.source = "R22 one-sided",
     .text = PLANE "force y: -1\n"
                   "constraint speed: (x'^2 + y'^2 - 1)/2 >= 0 by inertia((x'^2 + y'^2)/2)\n"
                   "start x = 0, y = 0, x' = 0.6, y' = 0.8, lambda.speed = 0\n",
     .tolerance = 1e-11,
     .acting = "speed",
     .events = {{RH_OCCURRENCE_LEAVE, 1.6, "speed"}},
     .values = {{0.8, "lambda.speed", -0.4},
                {0.8, "x'", 1.0},
                {0.8, "y'", 0.0},
                {2.0, "lambda.speed", 0.0},
                {2.0, "x'", 0.6},
                {2.0, "y'", -1.2}}},
};

// --- corners -------------------------------------------------------------------------------------

#define CORNER                                                                                     \
    PLANE "force x: -cos(t)\nforce y: -sin(t)\nconstraint f1: x' >= 0\n"                           \
          "constraint f2: -0.6*x' + 0.8*y' >= 0\n"
// G = [[1, -q], [-q, 1]]
#define RESPONSE(q, k1, k2)                                                                        \
    "param q = " q ", k1 = " k1 ", k2 = " k2 "\ncoord x, y\n"                                      \
    "kinetic (x'^2 + 2*q*x'*y' + y'^2)/(2*(1 - q^2))\n"                                            \
    "force x: (k1 + q*k2)/(1 - q^2)\nforce y: (q*k1 + k2)/(1 - q^2)\n"                             \
    "constraint f1: x' >= 0\nconstraint f2: y' >= 0\n"                                             \
    "start x = 0, y = 0, x' = 0, y' = 0\nobserve ax = x''\nobserve ay = y''\n"

static const gating CORNERS[] = {
    {.source = "R20 L1",
     .text = RESPONSE("0.9", "1", "-0.5"),
     .tolerance = 1e-13,
     .acting = "f2",
     .values = {{0.0, "lambda.f1", 0.0},
                {0.0, "lambda.f2", 0.5},
                {0.0, "ax", 0.55},
                {0.0, "ay", 0.0},
                {1.0, "x'", 0.55},
                {1.0, "y'", 0.0}}},
    {.source = "R20 L2",
     .text = RESPONSE("-0.9", "-1", "-2"),
     .tolerance = 1e-13,
     .acting = "f2",
     .values = {{0.0, "lambda.f1", 0.0},
                {0.0, "lambda.f2", 2.0},
                {0.0, "ax", 0.8},
                {0.0, "ay", 0.0},
                {1.0, "x'", 0.8}}},
    {.source = "R20 L3",
     .text = "coord x\nkinetic x'^2/2\nforce x: -3\nconstraint f1: x' >= 0\n"
             "constraint f2: 2*x' >= 0\nstart x = 0, x' = 0\n",
     .tolerance = 1e-12,
     .acting = "f1 f2",
     .is_redundant = true,
     .values = {{0.0, "lambda.f1", 0.6},
                {0.0, "lambda.f2", 1.2},
                {1.0, "lambda.f1", 0.6},
                {1.0, "lambda.f2", 1.2},
                {1.0, "x", 0.0}}},
    {.source = "R21",
     .text = CORNER "start x = 0, y = 0, x' = 0, y' = 0, t = 1/2\n",
     .tolerance = 1e-10,
     .acting = "f1 f2",
     .events = {{RH_OCCURRENCE_LEAVE, 2.214297435588181006, "f1"},
                {RH_OCCURRENCE_LEAVE, 3.7850937623830776253, "f2"},
                {RH_OCCURRENCE_ENGAGE, 6.4845432279699172684, "f1"},
                {RH_OCCURRENCE_LEAVE, 7.8539816339744830962, "f1"},
                {RH_OCCURRENCE_ENGAGE, 9.0443336934637115918, "f2"},
                {RH_OCCURRENCE_LEAVE, 10.068279069562664102, "f2"}},
     .values = {{0.5, "lambda.f1", 1.2371517158435249663},
                {0.5, "lambda.f2", 0.59928192325525375034},
                {3.7850937623830776253, "x'", 0.8},
                {3.7850937623830776253, "y'", 0.6},
                {6.4845432279699172684, "x'", 0.0},
                {6.4845432279699172684, "y'", 2.37979589711327124},
                {7.8539816339744830962, "x'", 0.0},
                {7.8539816339744830962, "y'", 1.4},
                {10.068279069562664102, "x'", 1.312},
                {10.068279069562664102, "y'", 0.984},
                {11.0, "x", 5.4654024889595416594},
                {11.0, "y", 10.658508891150702497},
                {11.0, "x'", 1.7119902065507034571},
                {11.0, "y'", 1.7884256979880507857}}},
    // lambda = (1, 0), w = (0, 0): decided by the derivatives
    {.source = "R25 (c)",
     .text = CORNER "start x = 0, y = 0, x' = 0, y' = 0, t = 0\n",
     .tolerance = 1e-9,
     .acting = "f1 f2",
     .events = {{RH_OCCURRENCE_LEAVE, 2.214297435588181006, "f1"}},
     .values = {{0.0, "lambda.f1", 1.0},
                {0.0, "lambda.f2", 0.0},
                {3.0, "x", 0.062704457573906369127},
                {3.0, "y", 0.047028343180429776845},
                {3.0, "x'", 0.23448679647347115837},
                {3.0, "y'", 0.17586509735510336877}}},
    {.source = "R25 (c), begun at -0.1",
     .text = CORNER "start x = 0, y = 0, x' = 0, y' = 0, t = -1/10\n",
     .tolerance = 1e-9,
     .acting = "f1",
     .events = {{RH_OCCURRENCE_ENGAGE, 0.1, "f2"},
                {RH_OCCURRENCE_LEAVE, 2.214297435588181006, "f1"}},
     .values = {{0.1, "y", 0.00066600023805115139452},
                {0.1, "y'", 0.0},
                {1.0, "x", 0.0},
                {1.0, "y", 0.00066600023805115139452},
                {3.0, "x", 0.062704457573906369127},
                {3.0, "y", 0.047028343180429776845 + 0.00066600023805115139452},
                {3.0, "x'", 0.23448679647347115837}}},
    // an equality is in force: k of x' alone is 1, along x' = y' it is -1
    {.source = "1.8 with an equality, pushed",
     .text = PLANE "force x: 1\nforce y: -3\nconstraint rod: x' - y' = 0\n"
                   "constraint up: x' >= 0\nstart x = 0, y = 0, x' = 0, y' = 0\n",
     .tolerance = 1e-13,
     .acting = "up",
     .values = {{0.0, "lambda.up", 2.0}, {0.0, "lambda.rod", -3.0}, {1.0, "x", 0.0}}},
    {.source = "1.8 with an equality, pulled",
     .text = PLANE "force x: -1\nforce y: 3\nconstraint rod: x' - y' = 0\n"
                   "constraint up: x' >= 0\nstart x = 0, y = 0, x' = 0, y' = 0\n",
     .tolerance = 1e-13,
     .values = {{0.0, "lambda.up", 0.0}, {0.0, "lambda.rod", 2.0}, {1.0, "x", 0.5}}},
    // three in a plane, two would do: f3 = f1 + f2. Force (0, -1)(2 - t): all press until t = 2.
    // Then all leave at once
    {.source = "1.9, more than the plane holds",
     .text = PLANE "force y: t - 2\nconstraint f1: x' + y' >= 0\nconstraint f2: y' - x' >= 0\n"
                   "constraint f3: 2*y' >= 0\nstart x = 0, y = 0, x' = 0, y' = 0\n",
     .tolerance = 1e-12,
     .acting = "f1 f2 f3",
     .is_redundant = true,
     .events = {{RH_OCCURRENCE_LEAVE, 2.0, "f1"},
                {RH_OCCURRENCE_LEAVE, 2.0, "f2"},
                {RH_OCCURRENCE_LEAVE, 2.0, "f3"}},
     // least norm: (a, a, b) with a + a + 2 b = 2
     .values = {{0.0, "lambda.f1", 1.0 / 3.0},
                {0.0, "lambda.f2", 1.0 / 3.0},
                {0.0, "lambda.f3", 2.0 / 3.0},
                {3.0, "y'", 0.5},
                {3.0, "x'", 0.0}}},
};

// --- walls ---------------------------------------------------------------------------------------

static const gating WALLS[] = {
    // plastic: stays, lambda = g
    {.source = "ball, e = 0",
     .text = "coord y\nkinetic y'^2/2\npotential 9.81*y\nconstraint floor: y >= 0 impact 0\n"
             "start y = 1, y' = 0\n",
     .tolerance = 1e-12,
     .events = {{RH_OCCURRENCE_IMPACT, 0.4515236409857309, "floor"},
                {RH_OCCURRENCE_ENGAGE, 0.4515236409857309, "floor"}},
     .values = {{1.0, "y", 0.0}, {1.0, "y'", 0.0}, {1.0, "lambda.floor", 9.81}}},
    // elastic: t1 (1 + 2 n)
    {.source = "ball, e = 1",
     .text = "coord y\nkinetic y'^2/2\npotential 9.81*y\nconstraint floor: y >= 0 impact 1\n"
             "start y = 1, y' = 0\n",
     .tolerance = 1e-11,
     .events = {{RH_OCCURRENCE_IMPACT, 0.4515236409857309, "floor"},
                {RH_OCCURRENCE_IMPACT, 1.3545709229571928, "floor"},
                {RH_OCCURRENCE_IMPACT, 2.2576182049286547, "floor"},
                {RH_OCCURRENCE_IMPACT, 3.1606654869001165, "floor"}},
     .values = {{2.7091418459143856, "y", 1.0},
                {2.7091418459143856, "y'", 0.0},
                {3.6121891278858475, "y", 1.0}}},
    // on a moving plate y = sin t with gravity 1/2: lambda = 1/2 - sin t until pi/6; then
    // y = 1/2 + cos(pi/6) s - s^2/4
    {.source = "off a plate",
     .text = "coord y\nkinetic y'^2/2\npotential y/2\nconstraint plate: y >= sin(t) impact 0.3\n"
             "start y = 0, y' = 1\n",
     .tolerance = 1e-12,
     .acting = "plate",
     .events = {{RH_OCCURRENCE_LEAVE, PI / 6.0, "plate"}},
     .values = {{0.25, "lambda.plate", 0.5 - 0.24740395925452292960},
                {1.5235987755982988731, "y", 0.5 + 0.86602540378443864676 - 0.25},
                {1.5235987755982988731, "y'", 0.86602540378443864676 - 0.5}}},
    // two walls at once, in the metric of T: masses 1 and 3, falling into a right corner; the
    // normals are not orthogonal in the metric when T has a product term
    {.source = "into a corner",
     .text = "coord x, y\nkinetic x'^2/2 + x'*y'/2 + y'^2\nconstraint a: x >= 0 impact 0.5\n"
             "constraint b: y >= 0 impact 0.5\nstart x = 1, y = 1, x' = -1, y' = -1\n",
     .tolerance = 1e-12,
     .events = {{RH_OCCURRENCE_IMPACT, 1.0, "a"}, {RH_OCCURRENCE_IMPACT, 1.0, "b"}},
     .values = {{2.0, "x'", 0.5}, {2.0, "y'", 0.5}, {2.0, "x", 0.5}, {2.0, "y", 0.5}}},
    // a rod on two coordinates: with an equality the impact moves both, x = z
    {.source = "an impact with an equality",
     .text = "coord x, z\nkinetic x'^2/2 + 3*z'^2/2\nconstraint rod: z = x\n"
             "constraint wall: x >= 0 impact 0.25\nstart x = 1, z = 1, x' = -2, z' = -2\n",
     .tolerance = 1e-12,
     .events = {{RH_OCCURRENCE_IMPACT, 0.5, "wall"}},
     .values = {{1.5, "x'", 0.5}, {1.5, "z'", 0.5}, {1.5, "x", 0.5}, {1.5, "z", 0.5}}},
};

// --- the groups ----------------------------------------------------------------------------------

#define TRY_ALL(list) gating_try_all((list), sizeof(list) / sizeof *(list))

static void sleighs(void **state)
{
    (void)state;
    TRY_ALL(SLEIGHS);
}

static void single_constraints(void **state)
{
    (void)state;
    TRY_ALL(SINGLES);
}

static void type_two(void **state)
{
    (void)state;
    TRY_ALL(TYPE_TWO);
}

static void corners(void **state)
{
    (void)state;
    TRY_ALL(CORNERS);
}

static void walls(void **state)
{
    (void)state;
    TRY_ALL(WALLS);
}

// --- an accumulation point -----------------------------------------------------------------------

// Benchmark 14: impacts at t1 (1 + 2 (e + ... + e^(n - 1))), rest from t1 (1 + e)/(1 - e) on.
static void a_ball_comes_to_rest(void **state)
{
    (void)state;
    static const double RESTITUTIONS[] = {0.7, 0.5, 0.1, 0.9};
    for (size_t k = 0; k < 4; k++) {
        char text[256];
        const double e = RESTITUTIONS[k];
        const double first = sqrt(2.0 / 9.81);
        const double rest = first * (1.0 + e) / (1.0 - e);
        (void)snprintf(text, sizeof text,
                       "coord h\nkinetic h'^2/2\npotential 9.81*h\n"
                       "constraint floor: h >= 0 impact %.17g\nstart h = 1, h' = 0\n",
                       e);
        moving it = moving_begin(text, NULL);
        moving_reach(&it, rest + 1.0);
        const size_t count = rh_motion_occurrence_count(it.motion);
        double time = first;
        double flight = 2.0 * first * e;
        assert_true(count > 6);
        for (size_t j = 0; j + 1 < count; j++, time += flight, flight *= e) {
            const rh_occurrence at = rh_motion_occurrence(it.motion, j);
            assert_int_equal(at.kind, j + 1 < count ? RH_OCCURRENCE_IMPACT : RH_OCCURRENCE_ENGAGE);
            assert_near(at.time, time, 1e-12);
        }
        const rh_occurrence last = rh_motion_occurrence(it.motion, count - 1);
        assert_int_equal(last.kind, RH_OCCURRENCE_ENGAGE);
        assert_near(last.time, rest, 1e-12);
        assert_near(moving_value(&it, "h"), 0.0, 1e-13);
        assert_near(moving_value(&it, "h'"), 0.0, 1e-13);
        assert_near(moving_value(&it, "lambda.floor"), 9.81, 1e-12);
        moving_end(&it);
    }
}

// --- friction in place of a constraint -----------------------------------------------------------

typedef struct friction_row {
    double n, s, v, u, x, y;
} friction_row;

// R11: s = t - pi; N v -> -1 and N (u + 1) -> s
static const friction_row FRICTION[] = {
    {10, 1, -0.092250260095258918254, -0.91323365813330819512, 3.995842645559553,
     -0.3628544292296274},
    {100, 1, -0.0099024691269320891795, -0.99014787809748948104, 3.983907127235241,
     -0.4484642106497792},
    {1000, 1, -0.00099900249684136418605, -0.99900149783786834019, 3.983142220911063,
     -0.4585570051307592},
    {10000, 1, -0.000099990002499683413739, -0.99990001499783378743, 3.983071437434966,
     -0.4595834496939828},
    {10, 5, -0.061588712251621314549, -0.60966539912124869952, 2.734193681291693,
     -0.9474796483552999},
    {1000, 5, -0.00099501446424852850964, -0.99501346923306924466, 2.18888749722197,
     -0.7196611543864847},
};

static void friction(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof FRICTION / sizeof *FRICTION; k++) {
        const friction_row *row = &FRICTION[k];
        char text[512];
        (void)snprintf(text, sizeof text,
                       SLEIGH "constraint blade: -x'*sin(th) + y'*cos(th) >= 0 by friction(%g)\n"
                              "start x = 0, y = 0, th = 0, x' = 1, y' = 0, th' = -1\n"
                              "observe u = x'*cos(th) + y'*sin(th)\n",
                       row->n);
        for (int way = 0; way < 3; way++) {
            static const rh_method METHODS[] = {RH_METHOD_AUTO, RH_METHOD_TAYLOR, RH_METHOD_CVODE};
            const moving_conditions with = {.method = METHODS[way]};
            moving it = moving_begin(text, &with);
            moving_reach(&it, PI + row->s);
            assert_near_by(moving_value(&it, "dev.blade"), row->v, 1e-8, 1e-12);
            assert_near_by(moving_value(&it, "u"), row->u, 1e-8, 0.0);
            assert_near_by(moving_value(&it, "x"), row->x, 1e-8, 0.0);
            assert_near_by(moving_value(&it, "y"), row->y, 1e-8, 0.0);
            moving_end(&it);
        }
    }
}

// A reaction written by the user acts where the deviation is not positive: it holds the ratchet by
// sliding, x'' = -1 + 5 [x' <= 0].
static void a_proposed_reaction(void **state)
{
    (void)state;
    moving it = moving_begin("coord x\nkinetic x'^2/2\nforce x: -1\n"
                             "constraint up: x' >= 0 by reaction(x: 5)\nstart x = 0, x' = 1\n",
                             NULL);
    moving_reach(&it, 3.0);
    assert_near(moving_value(&it, "x"), 0.5, 1e-13);
    assert_near(moving_value(&it, "x'"), 0.0, 1e-13);
    assert_int_equal(rh_motion_occurrence_count(it.motion), 1);
    assert_int_equal(rh_motion_occurrence(it.motion, 0).kind, RH_OCCURRENCE_SLIDE);
    assert_near(rh_motion_occurrence(it.motion, 0).time, 1.0, 1e-13);
    moving_end(&it);
}

// A floor that touches the circle of a rod: at the bottom both push alike. It is grazed at each
// A ratchet with dry friction, x'' = 2 cos t - sign(x')/2: it stops where 2 sin t = t/2, is held by
// the ratchet with no friction until 3 pi/2, then by friction until cos t = 1/4.
static void a_ratchet_with_friction(void **state)
{
    (void)state;
    static const rh_method METHODS[] = {RH_METHOD_TAYLOR, RH_METHOD_DOP853, RH_METHOD_CVODE,
                                        RH_METHOD_IDA};
    const double stop = 2.474576787369829;
    const double go = 2.0 * PI - acos(0.25);
    for (size_t k = 0; k < 2 * sizeof METHODS / sizeof *METHODS; k++) {
        moving it =
            moving_begin("coord x\nkinetic x'^2/2\nforce x: 2*cos(t) - sign(x')/2\n"
                         "constraint r: x' >= 0\nstart x = 0, x' = 0\n"
                         "observe s = sign(x')\n",
                         &(moving_conditions){.method = METHODS[k / 2], .is_plain = k % 2 == 1});
        moving_reach(&it, 3.0);
        assert_near(moving_value(&it, "lambda.r"), -2.0 * cos(3.0), 1e-12);
        assert_near(moving_value(&it, "s"), 0.0, 0.0);
        moving_reach(&it, 8.0);
        assert_near(moving_value(&it, "x'"), 2.0 * (sin(8.0) - sin(go)) - (8.0 - go) / 2.0, 1e-9);
        static const rh_occurrence_kind KINDS[] = {RH_OCCURRENCE_ENGAGE, RH_OCCURRENCE_SLIDE,
                                                   RH_OCCURRENCE_LEAVE, RH_OCCURRENCE_LEAVE};
        const double times[] = {stop, 1.5 * PI, 1.5 * PI, go};
        assert_int_equal(rh_motion_occurrence_count(it.motion), 4);
        for (size_t e = 0; e < 4; e++) {
            assert_int_equal(rh_motion_occurrence(it.motion, e).kind, KINDS[e]);
            assert_near(rh_motion_occurrence(it.motion, e).time, times[e], 1e-9);
        }
        moving_end(&it);
    }
}

// Touched, and moved by two-sided constraints alone: they decide.
static void no_freedom_is_left(void **state)
{
    (void)state;
    for (int plain = 0; plain < 2; plain++) {
        moving it = moving_begin("coord x, y\nkinetic (x'^2 + y'^2)/2\nforce x: -1\n"
                                 "constraint a: x' = y'\nconstraint b: x' + y' = t\n"
                                 "constraint c: x' >= 0\nstart x = 0, y = 0, x' = 0, y' = 0\n",
                                 &(moving_conditions){.is_plain = plain == 1});
        moving_reach(&it, 3.0);
        assert_near(moving_value(&it, "x"), 2.25, 1e-12);
        moving_end(&it);
    }
}

// passage, to the square root of rounding, and never hit.
static void a_floor_touches_a_circle(void **state)
{
    (void)state;
    moving it = moving_begin("coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
                             "constraint floor: y + 1 >= 0 impact 0.5\n"
                             "constraint rod: x^2 + y^2 = 1\nstart x = -0.8, y = -0.6\n",
                             NULL);
    moving_reach(&it, 40.0);
    const size_t count = rh_motion_occurrence_count(it.motion);
    const double first = rh_motion_occurrence(it.motion, 0).time;
    for (size_t k = 0; k < count; k++) {
        const rh_occurrence found = rh_motion_occurrence(it.motion, k);
        assert_int_equal(found.kind, RH_OCCURRENCE_GRAZE);
        assert_near(found.time, first * (2.0 * (double)k + 1.0), 1e-6);
    }
    assert_int_equal(count, 38);
    assert_near(rh_motion_summarise(it.motion).energy_now, -0.6 * 9.81, 1e-11);
    moving_end(&it);
}

// More closed walls than a word has bits, while a drive has a kink: each stays as it is.
static void many_walls_stay_closed_at_a_kink(void **state)
{
    (void)state;
    moving it = moving_begin("coord q, z[1..40]\n"
                             "kinetic q'^2/2 + sum(i in 1..40: z[i]'^2/2)\n"
                             "potential sum(i in 1..40: 9.81*z[i])\n"
                             "constraint drive: q = if(t < 1, t, 2*t - 1)\n"
                             "for i in 1..40: constraint floor[i]: z[i] >= 0 impact 0.5\n"
                             "start q = 0, q' = 1\n",
                             NULL);
    moving_reach(&it, 2.0);
    assert_true(fabs(moving_value(&it, "q") - 3.0) < 1e-12);
    for (size_t k = 1; k < 41; k++) {
        assert_true(rh_motion_is_active(it.motion, k));
    }
    assert_int_equal(rh_motion_occurrence_count(it.motion), 1);
    assert_string_equal(rh_motion_occurrence(it.motion, 0).name, "drive");
    moving_end(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sleighs),
        cmocka_unit_test(single_constraints),
        cmocka_unit_test(type_two),
        cmocka_unit_test(corners),
        cmocka_unit_test(walls),
        cmocka_unit_test(a_ball_comes_to_rest),
        cmocka_unit_test(friction),
        cmocka_unit_test(a_proposed_reaction),
        cmocka_unit_test(a_floor_touches_a_circle),
        cmocka_unit_test(no_freedom_is_left),
        cmocka_unit_test(a_ratchet_with_friction),
        cmocka_unit_test(many_walls_stay_closed_at_a_kink),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
