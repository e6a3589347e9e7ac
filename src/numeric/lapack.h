// SPDX-License-Identifier: Apache-2.0
// The routines of LAPACK that this room calls, as the Fortran compiler names them: everything by
// address, column-major, 32-bit integers; the lengths of character arguments stand at the end.
// LAPACK stops the program on a wrong argument, so sizes are checked before.

#pragma once

#include <stddef.h>

/// a = P L U; info > 0: U has a zero on its diagonal.
void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *pivot, int *info);
/// Solve with the factors of dgetrf.
void dgetrs_(const char *trans, const int *n, const int *nrhs, const double *a, const int *lda,
             const int *pivot, double *b, const int *ldb, int *info, size_t trans_length);
/// Reciprocal condition number from the factors of dgetrf; work 4 n, iwork n.
void dgecon_(const char *norm, const int *n, const double *a, const int *lda, const double *anorm,
             double *rcond, double *work, int *iwork, int *info, size_t norm_length);
/// Singular values and vectors; iwork 8 min(m, n); info > 0: no convergence.
void dgesdd_(const char *jobz, const int *m, const int *n, double *a, const int *lda, double *s,
             double *u, const int *ldu, double *vt, const int *ldvt, double *work, const int *lwork,
             int *iwork, int *info, size_t jobz_length);
/// a P = Q R with column pivoting.
void dgeqp3_(const int *m, const int *n, double *a, const int *lda, int *jpvt, double *tau,
             double *work, const int *lwork, int *info);
/// Eigenvalues wr + i wi, and vectors where asked; work 4 n, 3 n without vectors; info > 0: no
/// convergence.
void dgeev_(const char *jobvl, const char *jobvr, const int *n, double *a, const int *lda,
            double *wr, double *wi, double *vl, const int *ldvl, double *vr, const int *ldvr,
            double *work, const int *lwork, int *info, size_t jobvl_length, size_t jobvr_length);
/// Schur form a = Z T Z^T of a real matrix: T in `a`, Z in `vs`; `select` is not used with sort
/// "N".
void dgees_(const char *jobvs, const char *sort, int (*select)(const double *, const double *),
            const int *n, double *a, const int *lda, int *sdim, double *wr, double *wi, double *vs,
            const int *ldvs, double *work, const int *lwork, int *bwork, int *info,
            size_t jobvs_length, size_t sort_length);
/// op(a) x + isgn x op(b) = scale c for quasi-triangular a, b; info 1: nearly singular.
void dtrsyl_(const char *trana, const char *tranb, const int *isgn, const int *m, const int *n,
             const double *a, const int *lda, const double *b, const int *ldb, double *c,
             const int *ldc, double *scale, int *info, size_t trana_length, size_t tranb_length);
/// Eigenvalues of a symmetric matrix in ascending order, vectors in `a`.
void dsyev_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w,
            double *work, const int *lwork, int *info, size_t jobz_length, size_t uplo_length);
/// One step of estimating a 1-norm: kase 1 asks for x <- A x, 2 for x <- A^T x, 0 is the end.
void dlacn2_(const int *n, double *v, double *x, int *isgn, double *est, int *kase, int *isave);

/// Around every call of these: some builds of LAPACK are for one thread at a time.
void rh__lapack_enter(void);
void rh__lapack_leave(void);
