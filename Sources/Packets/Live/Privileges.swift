internal import CPcap
internal import Captures

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The rights of the superuser, and how a program gets rid of them once it has what it needed them for.
package enum Privileges {
    /// Whom a program goes on as.
    package struct Identity: Sendable, Hashable {
        package var user: UInt32
        package var group: UInt32

        package init(user: UInt32, group: UInt32) {
            self.user = user
            self.group = group
        }
    }

    /// Why rights could not be dropped; the program should not go on with them.
    package struct Failure: Error, Equatable, CustomStringConvertible {
        /// The call that failed, and the system's words.
        package var description: String
    }

    /// Whether the program has them.
    package static var areHeld: Bool { geteuid() == 0 }

    /// Who ran the program by sudo; where nobody did, `nobody`.
    ///
    /// - Parameters:
    ///   - sudoUser: the variable `SUDO_UID`.
    ///   - sudoGroup: the variable `SUDO_GID`.
    /// - Returns: never the superuser.
    package static func identity(sudoUser: String?, sudoGroup: String?) -> Identity {
        if let user = sudoUser.flatMap(UInt32.init), let group = sudoGroup.flatMap(UInt32.init), user != 0,
            user != .max, group != .max
        {
            return Identity(user: user, group: group)
        }
        return entry { getpwnam_r("nobody", $0, $1, $2, $3) }.map { Identity(user: $0.user, group: $0.group) }
            ?? Identity(user: 65_534, group: 65_534)
    }

    /// Goes on as somebody else, in all threads and for good; does nothing where the program is not the superuser's.
    ///
    /// - Throws: ``Failure``.
    package static func drop(to identity: Identity) throws(Failure) {
        guard areHeld else { return }
        guard identity.user != 0 else {
            throw Failure(description: "the superuser's rights cannot be dropped to his own")
        }
        // The user's other groups, so that he can write where he always can.
        let known = entry { getpwuid_r(identity.user, $0, $1, $2, $3) }
        var groups = [identity.group]
        let areSet =
            known.map { entry in entry.name.withCString { initgroups($0, numericCast(identity.group)) } }
            ?? setgroups(1, &groups)
        guard areSet == 0 else { throw failure("setgroups") }
        guard setgid(identity.group) == 0 else { throw failure("setgid(\(identity.group))") }
        guard setuid(identity.user) == 0 else { throw failure("setuid(\(identity.user))") }
        guard setuid(0) != 0, geteuid() == identity.user, getegid() == identity.group else {
            throw Failure(description: "the superuser's rights are still there")
        }
        #if os(Linux)
        try dropOfFirstThread(to: identity)
        #endif
    }

    #if os(Linux)
    /// Has the first thread go on as somebody else.
    ///
    /// To the system rights are a thread's. The C library has each of them drop its own, but the first where that has ended, as it
    /// has in a program that waits for tasks: it lies there with all its rights, and the process counts as the superuser's.
    private static func dropOfFirstThread(to identity: Identity) throws(Failure) {
        guard authreel_is_first_thread() == 0 else { return }
        let error = authreel_identify_first_thread(identity.user, identity.group)
        guard error == 0 else { throw Failure(description: "tgkill: \(error.systemReason)") }
        // It does nothing but wait for signals.
        for _ in 0..<2000 where authreel_first_thread_outcome() == 0 { usleep(1000) }
        switch authreel_first_thread_outcome() {
        case 1: return
        case 0: throw Failure(description: "the first thread does not answer")
        case let error: throw Failure(description: "setresuid: \((-error).systemReason)")
        }
    }
    #endif

    private static func failure(_ call: String) -> Failure {
        Failure(description: "\(call): \(errno.systemReason)")
    }

    private static func entry(
        _ call: (
            UnsafeMutablePointer<passwd>, UnsafeMutablePointer<CChar>, Int,
            UnsafeMutablePointer<UnsafeMutablePointer<passwd>?>
        ) -> Int32
    ) -> (name: String, user: UInt32, group: UInt32)? {
        var entry = passwd()
        var texts = [CChar](repeating: 0, count: 16 << 10)
        var found: UnsafeMutablePointer<passwd>?
        guard call(&entry, &texts, texts.count, &found) == 0, let found, let name = found.pointee.pw_name
        else {
            return nil
        }
        return (String(cString: name), found.pointee.pw_uid, found.pointee.pw_gid)
    }
}
