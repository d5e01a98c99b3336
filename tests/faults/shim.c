/* Loaded before libc's own (LD_PRELOAD): counts the calls that change files below the roots, over all threads and children of a command,
   and at the call of a given number kills, fails or writes half. With a log, it records every call and its bytes instead (`failed` if it did).
   What it is to do stands in a file that all of them map, named by FAULTS_CONTROL; tests/faults/shim.py writes it. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum kind { COUNT, KILL, TORN, NO_SPACE, FAILS_ONCE, SHORT, PAUSE };
#define ROOTS 3
#define PATH 1024

struct control {
    atomic_long count;
    long at;
    int kind;
    atomic_int armed, happened, lock;
    char roots[ROOTS][PATH];
    char log[PATH];
    char what[2 * PATH + 64];
};

static struct control *control;

__attribute__((constructor)) static void map_control(void) {
    const char *name = getenv("FAULTS_CONTROL");
    int fd = name ? (int)syscall(SYS_openat, AT_FDCWD, name, O_RDWR | O_CLOEXEC, 0) : -1;
    if (fd < 0) return;
    void *mapped = mmap(NULL, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    syscall(SYS_close, fd);
    if (mapped != MAP_FAILED) control = mapped;
}

static int is_armed(void) { return control && atomic_load(&control->armed); }

static void path_of_fd(int fd, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, PATH - 1);
    path[length < 0 ? 0 : length] = 0;
}

static void whole_path(int folder, const char *name, char *path) {
    if (!name) { path[0] = 0; return; }
    if (name[0] == '/') { snprintf(path, PATH, "%s", name); return; }
    char base[PATH];
    if (folder == AT_FDCWD) { if (!getcwd(base, sizeof base)) base[0] = 0; }
    else path_of_fd(folder, base);
    snprintf(path, PATH, "%.*s/%.*s", PATH / 2, base, PATH / 2 - 2, name);
}

static int is_below(const char *path) {
    for (int i = 0; i < ROOTS; i++) {
        size_t length = strlen(control->roots[i]);
        if (length && !strncmp(path, control->roots[i], length) && (path[length] == '/' || path[length] == 0)) return 1;
    }
    return 0;
}

_Noreturn static void kill_all(void) {
    kill(0, SIGKILL);
    for (;;) pause();
}

enum answer { GO_ON, FAIL, HALF, HALF_AND_KILL };

/* `space`: whether a full disk would refuse it. `bytes`: whether it writes bytes, so that half can be written. */
static enum answer counted(const char *call, const char *path, const char *other, int space, int bytes) {
    long number = atomic_fetch_add(&control->count, 1) + 1;
    int here = number == control->at;
    if (here) {
        snprintf(control->what, sizeof control->what, "%s %s%s%s", call, path, other ? " -> " : "", other ? other : "");
        atomic_store(&control->happened, 1);
    }
    switch (control->kind) {
    case KILL:
        if (here) kill_all();
        break;
    case TORN:
        if (here && bytes) return HALF_AND_KILL;
        if (here) kill_all();
        break;
    case NO_SPACE:
        if (number >= control->at && space) { errno = ENOSPC; return FAIL; }
        break;
    case FAILS_ONCE:
        if (here) { errno = EIO; return FAIL; }
        break;
    case SHORT:
        if (here && bytes) return HALF;
        break;
    case PAUSE:
        while (here && atomic_load(&control->happened) == 1) { struct timespec wait = {0, 2000000}; nanosleep(&wait, NULL); }
        break;
    default:
        break;
    }
    return GO_ON;
}

static int logging(void) { return control->log[0] != 0; }

static void lock_log(void) {
    int free = 0;
    while (!atomic_compare_exchange_weak(&control->lock, &free, 1)) { free = 0; sched_yield(); }
}

static void unlock_log(void) { atomic_store(&control->lock, 0); }

static void put(int fd, const char *data, size_t length) {
    while (length > 0) {
        ssize_t done = syscall(SYS_write, fd, data, length);
        if (done <= 0) abort();
        data += done, length -= (size_t)done;
    }
}

static void record(const char *call, long inode, const char *path, const char *other, long offset, const struct iovec *data, int parts, size_t length) {
    int saved = errno, fd = (int)syscall(SYS_openat, AT_FDCWD, control->log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    char head[2 * PATH + 128];
    int size = snprintf(head, sizeof head, "%s\t%ld\t%s\t%s\t%ld\t%zu\n", call, inode, path, other ? other : "", offset, data ? length : 0);
    put(fd, head, (size_t)size);
    for (int i = 0; data && i < parts && length > 0; i++) {
        size_t part = data[i].iov_len < length ? data[i].iov_len : length;
        put(fd, data[i].iov_base, part);
        length -= part;
    }
    syscall(SYS_close, fd);
    errno = saved;
}

static long inode_of(int fd) {
    struct stat found;
    return fstat(fd, &found) ? -1 : (long)found.st_ino;
}

static long inode_at(const char *path) {
    struct stat found;
    return lstat(path, &found) ? -1 : (long)found.st_ino;
}

/* ---- writing bytes ---- */

static ssize_t real_write(int fd, const struct iovec *data, int parts, off_t offset) {
    return offset < 0 ? syscall(SYS_writev, fd, data, parts) : syscall(SYS_pwritev, fd, data, parts, offset, 0L);
}

static ssize_t half_of(int fd, const struct iovec *data, int parts, off_t offset) {
    size_t length = 0, left;
    for (int i = 0; i < parts; i++) length += data[i].iov_len;
    if (length < 2) return real_write(fd, data, parts, offset);
    left = length / 2;
    ssize_t done = 0;
    for (int i = 0; i < parts && left > 0; i++) {
        struct iovec part = {data[i].iov_base, data[i].iov_len < left ? data[i].iov_len : left};
        ssize_t now = real_write(fd, &part, 1, offset < 0 ? offset : offset + done);
        if (now < 0) return done ? done : now;
        done += now, left -= (size_t)now;
    }
    return done;
}

static ssize_t write_bytes(const char *call, int fd, const struct iovec *data, int parts, off_t offset) {
    char path[PATH];
    if (!is_armed()) return real_write(fd, data, parts, offset);
    int saved = errno;
    path_of_fd(fd, path);
    errno = saved;
    if (!is_below(path)) return real_write(fd, data, parts, offset);
    if (logging()) {
        lock_log();
        struct stat found;
        long place = offset >= 0 ? offset : fcntl(fd, F_GETFL) & O_APPEND ? (fstat(fd, &found), (long)found.st_size) : (long)lseek(fd, 0, SEEK_CUR);
        ssize_t done = real_write(fd, data, parts, offset);
        record(done < 0 ? "failed" : "write", inode_of(fd), path, NULL, place, done > 0 ? data : NULL, parts, done > 0 ? (size_t)done : 0);
        unlock_log();
        return done;
    }
    switch (counted(call, path, NULL, 1, 1)) {
    case FAIL: return -1;
    case HALF: return half_of(fd, data, parts, offset);
    case HALF_AND_KILL: half_of(fd, data, parts, offset); kill_all();
    default: return real_write(fd, data, parts, offset);
    }
}

ssize_t write(int fd, const void *data, size_t length) {
    struct iovec one = {(void *)data, length};
    return is_armed() ? write_bytes("write", fd, &one, 1, -1) : syscall(SYS_write, fd, data, length);
}
ssize_t pwrite(int fd, const void *data, size_t length, off_t offset) {
    struct iovec one = {(void *)data, length};
    return write_bytes("pwrite", fd, &one, 1, offset);
}
ssize_t pwrite64(int fd, const void *data, size_t length, off64_t offset) { return pwrite(fd, data, length, offset); }
ssize_t writev(int fd, const struct iovec *data, int parts) { return write_bytes("writev", fd, data, parts, -1); }
ssize_t pwritev(int fd, const struct iovec *data, int parts, off_t offset) { return write_bytes("pwritev", fd, data, parts, offset); }
ssize_t pwritev64(int fd, const struct iovec *data, int parts, off64_t offset) { return pwritev(fd, data, parts, offset); }

/* Callers fall back to write, which can be recorded, where these are not supported. */
static int refused_or(const char *call, int fd, enum answer *answer) {
    char path[PATH];
    *answer = GO_ON;
    if (!is_armed()) return 0;
    path_of_fd(fd, path);
    if (!is_below(path)) return 0;
    if (logging()) { errno = ENOSYS; return 1; }
    *answer = counted(call, path, NULL, 1, 1);
    if (*answer == HALF_AND_KILL) kill_all();
    return *answer == FAIL;
}

ssize_t sendfile(int out, int in, off_t *offset, size_t length) {
    enum answer answer;
    if (refused_or("sendfile", out, &answer)) return -1;
    return syscall(SYS_sendfile, out, in, offset, answer == HALF && length > 1 ? length / 2 : length);
}
ssize_t sendfile64(int out, int in, off64_t *offset, size_t length) { return sendfile(out, in, offset, length); }
ssize_t copy_file_range(int in, off64_t *from, int out, off64_t *to, size_t length, unsigned flags) {
    enum answer answer;
    if (refused_or("copy_file_range", out, &answer)) return -1;
    return syscall(SYS_copy_file_range, in, from, out, to, answer == HALF && length > 1 ? length / 2 : length, flags);
}

/* ---- calls on an open file ---- */

static int on_fd(const char *call, int fd, int space, long length, long (*real)(int, long)) {
    char path[PATH];
    if (!is_armed()) return (int)real(fd, length);
    int saved = errno;
    path_of_fd(fd, path);
    errno = saved;
    if (!is_below(path)) return (int)real(fd, length);
    if (logging()) {
        lock_log();
        int done = (int)real(fd, length);
        record(done ? "failed" : call, inode_of(fd), path, NULL, length, NULL, 0, 0);
        unlock_log();
        return done;
    }
    return counted(call, path, NULL, space, 0) == FAIL ? -1 : (int)real(fd, length);
}

static long real_fsync(int fd, long unused) { (void)unused; return syscall(SYS_fsync, fd); }
static long real_fdatasync(int fd, long unused) { (void)unused; return syscall(SYS_fdatasync, fd); }
static long real_ftruncate(int fd, long length) { return syscall(SYS_ftruncate, fd, length); }
static long real_fchmod(int fd, long mode) { return syscall(SYS_fchmod, fd, mode); }

int fsync(int fd) { return on_fd("fsync", fd, 0, 0, real_fsync); }
int fdatasync(int fd) { return on_fd("fsync", fd, 0, 0, real_fdatasync); }
int ftruncate(int fd, off_t length) { return on_fd("truncate", fd, 0, length, real_ftruncate); }
int ftruncate64(int fd, off64_t length) { return ftruncate(fd, length); }
int fchmod(int fd, mode_t mode) { return on_fd("chmod", fd, 0, mode, real_fchmod); }
int posix_fallocate(int fd, off_t offset, off_t length) {
    char path[PATH];
    if (is_armed() && (path_of_fd(fd, path), is_below(path))) {
        if (logging()) return EOPNOTSUPP;
        if (counted("fallocate", path, NULL, 1, 0) == FAIL) return errno;
    }
    return syscall(SYS_fallocate, fd, 0, offset, length) ? errno : 0;
}
int posix_fallocate64(int fd, off64_t offset, off64_t length) { return posix_fallocate(fd, offset, length); }

/* ---- calls on names ---- */

static int open_at(int folder, const char *name, int flags, mode_t mode) {
    char path[PATH];
    if (!is_armed() || !(flags & (O_CREAT | O_TRUNC))) return (int)syscall(SYS_openat, folder, name, flags, mode);
    int saved = errno;
    whole_path(folder, name, path);
    if (!is_below(path)) { errno = saved; return (int)syscall(SYS_openat, folder, name, flags, mode); }
    int is_new = inode_at(path) < 0;
    errno = saved;
    if (logging()) {
        lock_log();
        is_new = inode_at(path) < 0;
        int fd = (int)syscall(SYS_openat, folder, name, flags, mode);
        const char *call = fd < 0 ? "failed" : is_new ? "create" : flags & O_TRUNC ? "truncate" : "open";
        record(call, inode_of(fd), path, NULL, 0, NULL, 0, 0);
        unlock_log();
        return fd;
    }
    if (counted("open", path, NULL, is_new, 0) == FAIL) return -1;
    return (int)syscall(SYS_openat, folder, name, flags, mode);
}

#define MODE_OF(flags) ({ mode_t m = 0; if ((flags) & (O_CREAT | __O_TMPFILE)) { va_list a; va_start(a, flags); m = va_arg(a, mode_t); va_end(a); } m; })
int open(const char *name, int flags, ...) { return open_at(AT_FDCWD, name, flags, MODE_OF(flags)); }
int open64(const char *name, int flags, ...) { return open_at(AT_FDCWD, name, flags, MODE_OF(flags)); }
int openat(int folder, const char *name, int flags, ...) { return open_at(folder, name, flags, MODE_OF(flags)); }
int openat64(int folder, const char *name, int flags, ...) { return open_at(folder, name, flags, MODE_OF(flags)); }
int creat(const char *name, mode_t mode) { return open_at(AT_FDCWD, name, O_CREAT | O_WRONLY | O_TRUNC, mode); }
int creat64(const char *name, mode_t mode) { return creat(name, mode); }

struct named { int folder, other_folder, flags; const char *name, *other; mode_t mode; };

static int on_names(const char *call, struct named names, int space, long (*real)(const struct named *)) {
    char path[PATH], other[PATH];
    if (!is_armed()) return (int)real(&names);
    int saved = errno;
    whole_path(names.folder, names.name, path);
    whole_path(names.other_folder, names.other, other);
    errno = saved;
    if (!is_below(path) && !(names.other && is_below(other))) return (int)real(&names);
    if (logging()) {
        lock_log();
        long before = inode_at(path);
        errno = saved;
        int done = (int)real(&names);
        record(done ? "failed" : call, before < 0 ? inode_at(path) : before, path, names.other ? other : NULL, names.mode, NULL, 0, 0);
        unlock_log();
        return done;
    }
    return counted(call, path, names.other ? other : NULL, space, 0) == FAIL ? -1 : (int)real(&names);
}

static long real_rename(const struct named *n) { return syscall(SYS_renameat2, n->folder, n->name, n->other_folder, n->other, n->flags); }
static long real_link(const struct named *n) { return syscall(SYS_linkat, n->folder, n->name, n->other_folder, n->other, n->flags); }
static long real_unlink(const struct named *n) { return syscall(SYS_unlinkat, n->folder, n->name, n->flags); }
static long real_mkdir(const struct named *n) { return syscall(SYS_mkdirat, n->folder, n->name, n->mode); }
static long real_chmod(const struct named *n) { return syscall(SYS_fchmodat, n->folder, n->name, n->mode); }
/* `name` is the link, `other` what it says, which is no path of its own. */
static long real_symlink(const struct named *n) { return syscall(SYS_symlinkat, n->other, n->folder, n->name); }

int renameat2(int from, const char *name, int to, const char *other, unsigned flags) {
    return on_names("rename", (struct named){from, to, (int)flags, name, other, 0}, 0, real_rename);
}
int renameat(int from, const char *name, int to, const char *other) { return renameat2(from, name, to, other, 0); }
int rename(const char *name, const char *other) { return renameat2(AT_FDCWD, name, AT_FDCWD, other, 0); }
int linkat(int from, const char *name, int to, const char *other, int flags) {
    return on_names("link", (struct named){from, to, flags, name, other, 0}, 1, real_link);
}
int link(const char *name, const char *other) { return linkat(AT_FDCWD, name, AT_FDCWD, other, 0); }
int unlinkat(int folder, const char *name, int flags) {
    return on_names(flags & AT_REMOVEDIR ? "rmdir" : "unlink", (struct named){folder, AT_FDCWD, flags, name, NULL, 0}, 0, real_unlink);
}
int unlink(const char *name) { return unlinkat(AT_FDCWD, name, 0); }
int rmdir(const char *name) { return unlinkat(AT_FDCWD, name, AT_REMOVEDIR); }
int remove(const char *name) {
    int done = unlink(name);
    return done && errno == EISDIR ? rmdir(name) : done;
}
int mkdirat(int folder, const char *name, mode_t mode) {
    return on_names("mkdir", (struct named){folder, AT_FDCWD, 0, name, NULL, mode}, 1, real_mkdir);
}
int mkdir(const char *name, mode_t mode) { return mkdirat(AT_FDCWD, name, mode); }
int fchmodat(int folder, const char *name, mode_t mode, int flags) {
    return on_names("chmod", (struct named){folder, AT_FDCWD, flags, name, NULL, mode}, 0, real_chmod);
}
int chmod(const char *name, mode_t mode) { return fchmodat(AT_FDCWD, name, mode, 0); }
int symlinkat(const char *said, int folder, const char *name) {
    char path[PATH];
    if (is_armed() && (whole_path(folder, name, path), is_below(path)) && logging()) {
        lock_log();
        int done = (int)syscall(SYS_symlinkat, said, folder, name);
        record(done ? "failed" : "symlink", inode_at(path), path, said, 0, NULL, 0, 0);
        unlock_log();
        return done;
    }
    return on_names("symlink", (struct named){folder, AT_FDCWD, 0, name, said, 0}, 1, real_symlink);
}
int symlink(const char *said, const char *name) { return symlinkat(said, AT_FDCWD, name); }
