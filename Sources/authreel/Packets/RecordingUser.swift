import Captures
import Packets

/// Who a recording goes on as that root started.
struct RecordingUser {
    /// Nil where it was not root who started it.
    let identity: Privileges.Identity?
    /// Whether that is who called sudo.
    let isCaller: Bool

    init(_ environment: [String: String]) {
        identity =
            Privileges.areHeld
            ? Privileges.identity(sudoUser: environment["SUDO_UID"], sudoGroup: environment["SUDO_GID"]) : nil
        isCaller =
            Privileges.areHeld && environment["SUDO_UID"].flatMap(UInt32.init).map { $0 != 0 } ?? false
    }

    /// What root has made, nobody else could remove.
    var canRemove: Bool { identity == nil || isCaller }

    /// Nothing of root's is needed once interface, keys and capture are open.
    func takeOver() throws(CommandFailure) {
        guard let identity else { return }
        do throws(Privileges.Failure) {
            try Privileges.drop(to: identity)
        } catch {
            throw CommandFailure(
                .unavailable,
                "the rights of root cannot be given up: \(error)",
                hint:
                    "start it as a user that may capture: sudo setcap cap_net_raw,cap_net_admin+eip \(ShellWord.quoted(Invocation.file))"
            )
        }
    }
}
