// SPDX-License-Identifier: Apache-2.0
// Threads that take the items of one pass from a common counter. The calling thread watches: it
// asks the caller whether to go on. A short pass is done by the calling thread itself.

#include "chart/chart.h"

#include <threads.h>
#include <time.h>

enum { SHORT = 32 };

typedef struct pass {
    rh_chart *chart;
    size_t count;
    rh_team_task *task;
    void *user;
    atomic_size_t next;
    atomic_uint working, taken;
    mtx_t lock;
    cnd_t has_ended;
} pass;

static void take_items(pass *in, rh_spot *spot)
{
    size_t item = atomic_fetch_add(&in->next, 1);
    while (item < in->count && spot->status == RH_OK && !atomic_load(&in->chart->is_stopped)) {
        in->task(spot, in->user, item);
        item = atomic_fetch_add(&in->next, 1);
    }
}

static int work(void *user)
{
    pass *in = user;
    take_items(in, in->chart->spots[atomic_fetch_add(&in->taken, 1)]);
    (void)mtx_lock(&in->lock);
    atomic_fetch_sub(&in->working, 1);
    (void)cnd_signal(&in->has_ended);
    (void)mtx_unlock(&in->lock);
    return 0;
}

static void watch(pass *in)
{
    enum { WAIT = 20000000 }; // nanoseconds
    (void)mtx_lock(&in->lock);
    while (atomic_load(&in->working) > 0) {
        struct timespec until = {0};
        (void)timespec_get(&until, TIME_UTC);
        until.tv_nsec += WAIT;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        (void)cnd_timedwait(&in->has_ended, &in->lock, &until);
        (void)mtx_unlock(&in->lock);
        (void)rh__chart_is_over(in->chart);
        (void)mtx_lock(&in->lock);
    }
    (void)mtx_unlock(&in->lock);
}

static void run_threads(pass *in)
{
    enum { MOST = 1024 };
    thrd_t threads[MOST];
    uint32_t count = 0;
    if (mtx_init(&in->lock, mtx_plain) != thrd_success) {
        take_items(in, in->chart->spots[0]);
        return;
    }
    if (cnd_init(&in->has_ended) != thrd_success) {
        mtx_destroy(&in->lock);
        take_items(in, in->chart->spots[0]);
        return;
    }
    const uint32_t wanted = in->chart->thread_count < MOST ? in->chart->thread_count : MOST;
    atomic_store(&in->working, wanted);
    while (count < wanted && thrd_create(&threads[count], work, in) == thrd_success) {
        count++;
    }
    atomic_fetch_sub(&in->working, wanted - count);
    watch(in);
    for (uint32_t k = 0; k < count; k++) {
        (void)thrd_join(threads[k], NULL);
    }
    if (count == 0) {
        take_items(in, in->chart->spots[0]);
    }
    cnd_destroy(&in->has_ended);
    mtx_destroy(&in->lock);
}

rh_status rh__team_run(rh_chart *chart, size_t count, rh_team_task *task, void *user)
{
    pass in = {.chart = chart, .count = count, .task = task, .user = user};
    if (rh__chart_is_over(chart)) {
        return RH_OK;
    }
    if (count < SHORT) {
        for (size_t k = 0; k < count && !rh__chart_is_over(chart); k++) {
            task(chart->spots[0], user, k);
        }
    } else {
        run_threads(&in);
    }
    rh_status status = RH_OK;
    for (uint32_t k = 0; k < chart->thread_count; k++) {
        status = chart->spots[k]->status != RH_OK ? chart->spots[k]->status : status;
    }
    return status;
}
