internal import Captures

/// What a computer is called inside the emulators, virtual machines and containers that run on it, and by nobody else.
///
/// A client in one of those that uses the recorder asks it for such a name as well, which leads nowhere from the computer itself.
enum HostAlias {
    private static let emulators = ["10.0.2.2": "an Android emulator", "10.0.3.2": "Genymotion"]
    private static let ofContainers: Set = [
        "host.docker.internal", "gateway.docker.internal", "host.containers.internal",
        "host.rancher-desktop.internal", "host.lima.internal", "host.orb.internal",
        "host.minikube.internal", "host.k3d.internal",
    ]

    /// What to do where nobody is found under such a name or address.
    ///
    /// - Parameter host: in lower case.
    /// - Returns: nil for all others.
    static func hint(for host: String) -> String? {
        let host = String(host.withoutFinalDot)
        if let emulator = emulators[host] {
            return
                "\(host) is this computer to \(emulator) alone: let the app name this computer's address in the network"
        }
        guard ofContainers.contains(host) else { return nil }
        return "\(host) is this computer to its containers alone: let it lead there for the recorder, too, "
            + "by a line in this computer's /etc/hosts: 172.17.0.1 \(host) (the bridge's address)"
    }
}
