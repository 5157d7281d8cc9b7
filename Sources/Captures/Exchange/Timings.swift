package import JSON

/// The phases of an exchange; nil where they were not measured (HAR writes -1).
package struct Timings: Sendable, Hashable {
    @Nanoseconds package var blocked: Duration?
    @Nanoseconds package var dns: Duration?
    /// TCP, and TLS where there is any: ``tls`` is part of it, as in HAR.
    @Nanoseconds package var connect: Duration?
    @Nanoseconds package var tls: Duration?
    @Nanoseconds package var send: Duration?
    @Nanoseconds package var wait: Duration?
    @Nanoseconds package var receive: Duration?
    /// The members of `timings` that nothing above holds.
    package var foreign: JSONObject

    package init(
        blocked: Duration? = nil,
        dns: Duration? = nil,
        connect: Duration? = nil,
        tls: Duration? = nil,
        send: Duration? = nil,
        wait: Duration? = nil,
        receive: Duration? = nil,
        foreign: JSONObject = JSONObject()
    ) {
        self.blocked = blocked
        self.dns = dns
        self.connect = connect
        self.tls = tls
        self.send = send
        self.wait = wait
        self.receive = receive
        self.foreign = foreign
    }

    /// Takes note of a TLS handshake that followed on what ``connect`` has so far.
    package mutating func secured(in time: Duration?) {
        guard let time else { return }
        tls = time
        connect = connect.map { $0 + time }
    }
}
