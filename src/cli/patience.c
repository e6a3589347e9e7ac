// SPDX-License-Identifier: Apache-2.0
// How long a call goes on: signals, the time limit, and the bar that shows how far it is.
//
// While there is nothing to keep, the library is asked to end at once (cli_patience_interrupt,
// which every model inherits). Later the verb itself asks between pieces of its work and keeps what
// it has; the library is asked to end only when the verb has not done so within the grace. What
// asks nobody at all is ended by a timer.

#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier): its name is given

#include "cli/run.h"

#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { BAR = 30, MOST_DROPPED = 2 };
#define GRACE 1.0 // seconds for an orderly end, and a tenth of the limit
#define LEAST 0.5 // seconds of the processor; before that no limit ends what has nothing to keep
#define LAST 10.0 // seconds after the limit: then also what had no processor

static volatile sig_atomic_t heard = 0;
static volatile double heard_at;
static volatile sig_atomic_t is_bare = 1;  // there is nothing to keep yet
static volatile sig_atomic_t is_late = 0;  // the grace is over
static volatile sig_atomic_t is_told = 0;  // the library was asked to end
static volatile sig_atomic_t is_known = 0; // the verb was told to end: it tells what it has
static double armed_at = 0.0;              // 0: it was not
static double armed_limit = 0.0;           // seconds; 0: none
static timer_t timer;
static bool has_timer = false;
static const char *volatile phase = "the call was read";
static const char *volatile dropped[MOST_DROPPED];

double cli_patience_clock(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Has a verb that has nothing to keep had its time? May be called by a signal.
static bool is_due(void)
{
    struct timespec used = {0};
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return heard != 0 || (double)used.tv_sec + 1e-9 * (double)used.tv_nsec >= LEAST ||
           cli_patience_clock() - armed_at > armed_limit + LAST;
}

static void say(const char *text)
{
    size_t size = 0;
    while (text[size] != '\0') {
        size++;
    }
    (void)!write(STDERR_FILENO, text, size);
}

static const char *reason_of(int number)
{
    return number == SIGINT    ? "it was interrupted (SIGINT)"
           : number == SIGTERM ? "it was ended (SIGTERM)"
                               : "its time limit was reached";
}

// Called by a signal: only what may be called there.
static void leave(void)
{
    for (int k = 0; is_bare != 0 && k < MOST_DROPPED; k++) {
        if (dropped[k] != NULL) {
            (void)unlink(dropped[k]);
        }
    }
    say("rheonom: ");
    say(reason_of((int)heard));
    say(" while ");
    say(phase);
    say(is_bare != 0 ? ": there is nothing to tell yet\n"
                     : ", and that does not end by itself: what was written so far stays\n");
    _exit(CLI_STOPPED);
}

// May be called by a signal.
static void wake_after(double seconds)
{
    const struct itimerspec spec = {
        .it_value = {.tv_sec = (time_t)seconds,
                     .tv_nsec = (long)(1e9 * (seconds - (double)(time_t)seconds))}};
    if (has_timer && seconds < 1e9) {
        (void)timer_settime(timer, 0, &spec, NULL);
    }
}

static double grace(void)
{
    return GRACE + (heard == 0 ? 0.1 * armed_limit : 0.0);
}

// The first signal asks for an orderly end; one that comes later than any echo of the first is
// meant: it ends the program at once. (A wrapper such as timeout(1) sends its signal to the
// process and again to the group, so the same wish arrives twice.)
static void hear(int number)
{
    const double now = cli_patience_clock();
    if (number == SIGALRM) {
        if (is_known == 0 && is_due() && (is_bare != 0 || is_late != 0)) {
            leave();
        }
        is_late = is_bare == 0 ? 1 : 0;
        wake_after(2.0 * grace());
    } else if (heard == 0) {
        heard_at = now;
        heard = number;
        is_late = 0;
        wake_after(grace());
    } else if (now - heard_at > 0.5) {
        (void)signal(number, SIG_DFL);
        (void)raise(number);
    }
}

cli_patience cli_patience_begin(const cli_options *options, double limit)
{
    return (cli_patience){.begin = armed_at > 0.0 ? armed_at : cli_patience_clock(),
                          .limit = limit,
                          .has_bar = !options->is_quiet && isatty(STDERR_FILENO) == 1};
}

void cli_patience_arm(double limit)
{
    struct sigaction action = {.sa_handler = hear, .sa_flags = (int)SA_RESTART};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
    (void)sigemptyset(&action.sa_mask);
    armed_at = cli_patience_clock();
    armed_limit = limit;
    has_timer = timer_create(CLOCK_MONOTONIC, &event, &timer) == 0;
    (void)sigaction(SIGALRM, &action, NULL);
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    if (limit > 0.0) {
        wake_after(limit + grace());
    }
}

void cli_patience_phase(const char *what)
{
    phase = what;
}

const char *cli_patience_interrupt(void *user)
{
    (void)user;
    const double now = cli_patience_clock();
    const double since = heard != 0          ? now - heard_at
                         : armed_limit > 0.0 ? now - armed_at - armed_limit
                                             : -1.0;
    // a verb that knows is on its way to an end of its own
    const double wait = is_bare != 0 ? 0.0 : is_known != 0 ? LAST : grace();
    if (since < wait || !is_due()) {
        return NULL;
    }
    is_told = 1;
    return reason_of((int)heard);
}

bool cli_patience_is_over(void)
{
    return is_told != 0;
}

const char *cli_patience_reason(void)
{
    static char text[200];
    (void)snprintf(text, sizeof text, "%s while %s: there is nothing to tell yet",
                   reason_of((int)heard), phase);
    return text;
}

void cli_patience_drop(const char *path)
{
    for (int k = 0; k < MOST_DROPPED && path != NULL; k++) {
        if (dropped[k] == NULL) {
            dropped[k] = path;
            return;
        }
    }
}

void cli_patience_keep(void)
{
    is_bare = 0;
}

void cli_patience_spare_files(void)
{
    const struct sigaction action = {.sa_handler = SIG_IGN};
    (void)sigaction(SIGXFSZ, &action, NULL);
}

static void put_bar(double share, char out[BAR + 1])
{
    const int full = (int)(share * BAR);
    for (int k = 0; k < BAR; k++) {
        out[k] = k < full ? '#' : '.';
    }
    out[BAR] = '\0';
}

static void draw_bar(cli_patience *patience, double share, double time)
{
    char bar[BAR + 1];
    put_bar(share, bar);
    (void)fprintf(stderr, "\r[%s] %3.0f %%  t = %-12.6g", bar, 100.0 * share, time);
    (void)fflush(stderr);
    patience->is_bar_seen = true;
}

// Is it time to draw the bar again?
static bool is_bar_due(cli_patience *patience, double spent)
{
    const bool is_due = patience->has_bar && spent > 0.5 && spent - patience->shown > 0.1;
    patience->shown = is_due ? spent : patience->shown;
    return is_due;
}

static const char *reason_to_end(const cli_patience *patience, double spent)
{
    const bool is_spent = patience->limit > 0.0 && spent > patience->limit;
    if (heard == 0 && !is_spent) {
        return NULL;
    }
    is_known = 1;
    return reason_of((int)heard);
}

const char *cli_patience_check(cli_patience *patience, double share, double time)
{
    const double spent = cli_patience_clock() - patience->begin;
    if (is_bar_due(patience, spent)) {
        draw_bar(patience, share, time);
    }
    return reason_to_end(patience, spent);
}

const char *cli_patience_share(cli_patience *patience, double share)
{
    const double spent = cli_patience_clock() - patience->begin;
    if (is_bar_due(patience, spent)) {
        char bar[BAR + 1];
        put_bar(share, bar);
        (void)fprintf(stderr, "\r[%s] %3.0f %%", bar, 100.0 * share);
        (void)fflush(stderr);
        patience->is_bar_seen = true;
    }
    return reason_to_end(patience, spent);
}

const char *cli_patience_count(cli_patience *patience, uint64_t done, uint64_t count)
{
    const double now = cli_patience_clock();
    const double spent = now - patience->begin;
    // what was done by an earlier call says nothing about the rate
    if (!patience->has_first) {
        patience->has_first = true;
        patience->first = done;
        patience->first_at = now;
    }
    if (is_bar_due(patience, spent)) {
        const double rate = (double)(done - patience->first) / (now - patience->first_at + 1e-9);
        const double left = rate > 0.0 ? (double)(count - done) / rate : 0.0;
        (void)fprintf(stderr, "\r%llu of %llu members, %.*f a second, %.0f s left        ",
                      (unsigned long long)done, (unsigned long long)count, rate < 10.0 ? 2 : 0,
                      rate, left);
        (void)fflush(stderr);
        patience->is_bar_seen = true;
    }
    return reason_to_end(patience, spent);
}

const char *cli_patience_ask(void *patience)
{
    const cli_patience *it = patience;
    return reason_to_end(it, cli_patience_clock() - it->begin);
}

void cli_patience_end(cli_patience *patience)
{
    if (patience->is_bar_seen) {
        (void)fprintf(stderr, "\r%*s\r", BAR + 50, "");
        (void)fflush(stderr);
    }
    patience->is_bar_seen = false;
}
