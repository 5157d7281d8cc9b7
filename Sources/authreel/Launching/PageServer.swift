import Captures
import Foundation

/// The server of the page that a browser is to open, where the command beside it is what starts that server.
enum PageServer {
    /// Returns when it accepts connections, or will not.
    ///
    /// - Parameters:
    ///   - page: an address; one that is not on this machine is not waited for.
    ///   - time: after which nobody waits any more; nor does anybody when the task is cancelled.
    /// - Returns: host and port where the task was cancelled and nothing listened until then; else nil.
    static func wait(for page: String, within time: Duration) async -> String? {
        guard let url = URL(string: page), let host = url.host(), LoopbackHost.isLoopback(host.lowercased())
        else { return nil }
        let port = url.port ?? (url.scheme == "https" ? 443 : 80)
        let clock = ContinuousClock()
        let end = clock.now + time
        var isTold = false
        while clock.now < end {
            if accepts(port) { return nil }
            if Task.isCancelled { return "\(host):\(port)" }
            if !isTold, end - clock.now < time - .seconds(1) {
                isTold = true
                StandardError.note("waiting for \(host):\(port) to answer")
            }
            try? await Task.sleep(for: .milliseconds(100))
        }
        guard !accepts(port) else { return nil }
        if Task.isCancelled { return "\(host):\(port)" }
        StandardError.warn("nothing listens on \(host):\(port) yet; the browser is started all the same")
        return nil
    }

    private static func accepts(_ port: Int) -> Bool {
        guard let number = in_port_t(exactly: port) else { return true }
        for family in [AF_INET, AF_INET6] {
            #if canImport(Darwin)
            let socket = socket(family, SOCK_STREAM, 0)
            #else
            let socket = socket(family, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
            #endif
            guard socket >= 0 else { continue }
            defer { close(socket) }
            if family == AF_INET {
                var address = sockaddr_in()
                address.sin_family = sa_family_t(AF_INET)
                address.sin_port = number.bigEndian
                address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
                if connects(socket, &address) { return true }
            } else {
                var address = sockaddr_in6()
                address.sin6_family = sa_family_t(AF_INET6)
                address.sin6_port = number.bigEndian
                inet_pton(AF_INET6, "::1", &address.sin6_addr)
                if connects(socket, &address) { return true }
            }
        }
        return false
    }

    private static func connects<Address>(_ socket: CInt, _ address: inout Address) -> Bool {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<Address>.size)) == 0
            }
        }
    }
}
