#ifndef AUTHREEL_CPCAP_SHIM_H
#define AUTHREEL_CPCAP_SHIM_H

#include <pcap/pcap.h>

#if defined(__linux__)
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

struct authreel_identity {
    uid_t user;
    gid_t group;
    gid_t groups[1024];
    int count;
    // 0: not done yet; 1: done; less than 0: an error of errno.h.
    atomic_int outcome;
};

// Whom the first thread goes on as.
static inline struct authreel_identity *authreel_first_thread(void) {
    static struct authreel_identity identity;
    return &identity;
}

// The system calls themselves, which are for the thread that makes them.
static inline void authreel_identify_thread(int signal) {
    (void)signal;
    struct authreel_identity *to = authreel_first_thread();
    int error = errno;
    int failed =
        syscall(SYS_setgroups, (size_t)to->count, to->groups) != 0
        || syscall(SYS_setresgid, to->group, to->group, to->group) != 0
        || syscall(SYS_setresuid, to->user, to->user, to->user) != 0;
    atomic_store(&to->outcome, failed ? -errno : 1);
    errno = error;
}

// Asks the first thread of this process to go on as a user with a group and the groups of the calling thread; what came of it
// is in the outcome in a moment. Returns an error of errno.h; 0 when it was asked.
static inline int authreel_identify_first_thread(uid_t user, gid_t group) {
    struct authreel_identity *to = authreel_first_thread();
    to->user = user;
    to->group = group;
    to->count = getgroups(1024, to->groups);
    if (to->count < 0) return errno;
    atomic_store(&to->outcome, 0);
    struct sigaction action = {.sa_handler = authreel_identify_thread, .sa_flags = SA_RESTART};
    sigfillset(&action.sa_mask);
    int number = SIGRTMAX;
    if (sigaction(number, &action, NULL) != 0) return errno;
    return syscall(SYS_tgkill, getpid(), getpid(), number) == 0 ? 0 : errno;
}

static inline int authreel_first_thread_outcome(void) { return atomic_load(&authreel_first_thread()->outcome); }

static inline int authreel_is_first_thread(void) { return syscall(SYS_gettid) == getpid(); }
#endif

#endif
