// SPDX-License-Identifier: Apache-2.0
// MPI, as a library of its own that is loaded at run time: a program that was not started by mpirun
// neither links nor starts it. One thread speaks; messages are bytes.

#include "sweep/sweep.h"

#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>

enum { TAG = 7 };

static bool begin(int *own, int *count)
{
    int level = 0;
    int is_begun = 0;
    if (MPI_Initialized(&is_begun) != MPI_SUCCESS ||
        (is_begun == 0 &&
         MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS)) {
        return false;
    }
    return MPI_Comm_rank(MPI_COMM_WORLD, own) == MPI_SUCCESS &&
           MPI_Comm_size(MPI_COMM_WORLD, count) == MPI_SUCCESS;
}

// Until it is done, without keeping a core busy that others compute on: a long message waits until
// the other side looks for it.
static bool wait_for(MPI_Request *request)
{
    int is_done = 0;
    bool ok = MPI_Test(request, &is_done, MPI_STATUS_IGNORE) == MPI_SUCCESS;
    while (ok && is_done == 0) {
        const struct timespec time = {.tv_nsec = 100000};
        (void)thrd_sleep(&time, NULL);
        ok = MPI_Test(request, &is_done, MPI_STATUS_IGNORE) == MPI_SUCCESS;
    }
    return ok;
}

static void send(int to, const void *data, size_t size)
{
    MPI_Request request = MPI_REQUEST_NULL; // which is over at once
    RH_ASSERT(size <= INT_MAX);
    (void)MPI_Isend(data, (int)size, MPI_BYTE, to, TAG, MPI_COMM_WORLD, &request);
    (void)wait_for(&request);
    (void)MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static bool receive(int *from, unsigned char **out, size_t *size)
{
    int is_there = 0;
    int count = 0;
    MPI_Status status;
    if (MPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &is_there, &status) != MPI_SUCCESS ||
        is_there == 0 || MPI_Get_count(&status, MPI_BYTE, &count) != MPI_SUCCESS || count < 0) {
        return false;
    }
    *out = malloc((size_t)count + 1);
    if (*out == NULL) {
        return false;
    }
    *from = status.MPI_SOURCE;
    *size = (size_t)count;
    MPI_Request request = MPI_REQUEST_NULL;
    const int begun =
        MPI_Irecv(*out, count, MPI_BYTE, status.MPI_SOURCE, TAG, MPI_COMM_WORLD, &request);
    const bool is_done = wait_for(&request);
    const int ended = MPI_Wait(&request, MPI_STATUS_IGNORE);
    return begun == MPI_SUCCESS && is_done && ended == MPI_SUCCESS;
}

// What others sent and nobody wants any more is taken, so that they come to their end too.
static void end(void)
{
    int from = 0;
    unsigned char *data = NULL;
    size_t size = 0;
    MPI_Request request;
    int is_done = 0;
    if (MPI_Ibarrier(MPI_COMM_WORLD, &request) == MPI_SUCCESS) {
        while (is_done == 0) {
            if (receive(&from, &data, &size)) {
                free(data);
            } else {
                // number 0 may have a long table to write
                const struct timespec time = {.tv_nsec = 2000000};
                (void)thrd_sleep(&time, NULL);
            }
            if (MPI_Test(&request, &is_done, MPI_STATUS_IGNORE) != MPI_SUCCESS) {
                break;
            }
        }
    }
    (void)MPI_Finalize();
}

__attribute__((visibility("default"))) extern const rh_ranks_guest rh_ranks_guest_mpi;
const rh_ranks_guest rh_ranks_guest_mpi = {begin, end, send, receive};
