/*
 * A file layer that remembers how to take back what was written and not yet synced.
 *
 * Preloaded into the service, it keeps for each file under UNSYNCED_DIR a log beside it, named
 * FILE.unsynced: before a write or a truncation, what was there is appended to the log; once fsync or
 * fdatasync of the file has returned, the log is emptied. When the process is killed, applying a log
 * backwards gives the file that a power cut would have left at worst: nothing of what was not synced.
 *
 * A record is four 64-bit numbers in the machine's order (offset, length, size of the file before, a
 * mark) and then the old bytes. A record that is cut off belongs to a write that was never made.
 *
 * Not modelled: unsynced directory entries, torn sectors, and part of the unsynced writes surviving.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { FDS = 65536, PATH = 4096 };
static const uint64_t MARK = 0x62772d756e73796eULL;

static int log_of[FDS]; /* descriptor of the log, plus one; nought is none */
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;

static int tracked(const char *path) {
    const char *dir = getenv("UNSYNCED_DIR");
    if (!dir || strncmp(path, dir, strlen(dir)) != 0) return 0;
    size_t n = strlen(path);
    return (n > 3 && strcmp(path + n - 3, ".db") == 0) ||
           (n > 4 && strcmp(path + n - 4, "-wal") == 0) ||
           (n > 8 && strcmp(path + n - 8, "-journal") == 0);
}

static void opened(int fd, const char *path, int flags) {
    if (fd < 0 || fd >= FDS) return;
    log_of[fd] = 0;
    if ((flags & O_ACCMODE) == O_RDONLY || !tracked(path)) return;
    char name[PATH];
    if (snprintf(name, sizeof name, "%s.unsynced", path) >= PATH) abort();
    int log = (int)syscall(SYS_openat, AT_FDCWD, name, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (log < 0) abort();
    log_of[fd] = log + 1;
}

static int open_with(const char *path, int flags, mode_t mode) {
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    if (fd >= 0) opened(fd, path, flags);
    return fd;
}

#define MODE(flags, mode)                         \
    mode_t mode = 0;                              \
    if ((flags) & (O_CREAT | O_TMPFILE)) {        \
        va_list rest;                             \
        va_start(rest, flags);                    \
        mode = va_arg(rest, mode_t);              \
        va_end(rest);                             \
    }

int open(const char *path, int flags, ...) { MODE(flags, mode) return open_with(path, flags, mode); }
int open64(const char *path, int flags, ...) {
    MODE(flags, mode)
    return open_with(path, flags | O_LARGEFILE, mode);
}

int close(int fd) {
    if (fd >= 0 && fd < FDS && log_of[fd]) {
        syscall(SYS_close, log_of[fd] - 1);
        log_of[fd] = 0;
    }
    return (int)syscall(SYS_close, fd);
}

/* Keeps what lies between `from` and `to`, and the size. */
static void keep(int fd, uint64_t from, uint64_t to) {
    struct stat now;
    if (fstat(fd, &now) != 0) abort();
    uint64_t size = (uint64_t)now.st_size;
    uint64_t end = to < size ? to : size;
    uint64_t len = end > from ? end - from : 0;
    char *old = len ? malloc(len) : NULL;
    for (uint64_t got = 0; got < len;) {
        ssize_t n = (ssize_t)syscall(SYS_pread64, fd, old + got, len - got, (off_t)(from + got));
        if (n <= 0) abort();
        got += (uint64_t)n;
    }
    uint64_t head[4] = {from, len, size, MARK};
    struct iovec parts[2] = {{head, sizeof head}, {old, len}};
    ssize_t n = writev(log_of[fd] - 1, parts, len ? 2 : 1);
    if (n != (ssize_t)(sizeof head + len)) abort();
    free(old);
}

static int is_tracked(int fd) { return fd >= 0 && fd < FDS && log_of[fd]; }

ssize_t pwrite64(int fd, const void *bytes, size_t count, off_t at) {
    if (!is_tracked(fd)) return (ssize_t)syscall(SYS_pwrite64, fd, bytes, count, at);
    pthread_mutex_lock(&one);
    keep(fd, (uint64_t)at, (uint64_t)at + count);
    ssize_t n = (ssize_t)syscall(SYS_pwrite64, fd, bytes, count, at);
    int failed = errno;
    pthread_mutex_unlock(&one);
    errno = failed;
    return n;
}
ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at) { return pwrite64(fd, bytes, count, at); }

ssize_t write(int fd, const void *bytes, size_t count) {
    if (!is_tracked(fd)) return (ssize_t)syscall(SYS_write, fd, bytes, count);
    pthread_mutex_lock(&one);
    off_t at = (off_t)syscall(SYS_lseek, fd, 0, SEEK_CUR);
    if (at < 0) abort();
    keep(fd, (uint64_t)at, (uint64_t)at + count);
    ssize_t n = (ssize_t)syscall(SYS_write, fd, bytes, count);
    int failed = errno;
    pthread_mutex_unlock(&one);
    errno = failed;
    return n;
}

int ftruncate64(int fd, off_t size) {
    if (!is_tracked(fd)) return (int)syscall(SYS_ftruncate, fd, size);
    pthread_mutex_lock(&one);
    keep(fd, (uint64_t)size, UINT64_MAX);
    int done = (int)syscall(SYS_ftruncate, fd, size);
    int failed = errno;
    pthread_mutex_unlock(&one);
    errno = failed;
    return done;
}
int ftruncate(int fd, off_t size) { return ftruncate64(fd, size); }

static int sync_with(long call, int fd) {
    if (!is_tracked(fd)) return (int)syscall(call, fd);
    pthread_mutex_lock(&one);
    int done = (int)syscall(call, fd);
    int failed = errno;
    if (done == 0 && syscall(SYS_ftruncate, log_of[fd] - 1, 0) != 0) abort();
    pthread_mutex_unlock(&one);
    errno = failed;
    return done;
}
int fsync(int fd) { return sync_with(SYS_fsync, fd); }
int fdatasync(int fd) { return sync_with(SYS_fdatasync, fd); }
