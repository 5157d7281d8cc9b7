internal import Captures
internal import NIOCore
internal import NIOPosix

/// Who is at the client's end of one connection; looked up once, beside the connection's own work.
final class ClientIdentity {
    /// What is known; shared by the exchanges of the connection.
    private(set) var shared = Sparse(wrappedValue: ClientFacts())
    var facts: ClientFacts {
        get { shared.wrappedValue }
        set { shared.wrappedValue = newValue }
    }
    /// Tells the connections of a recording apart.
    let connectionID: String
    private var isKnown = false
    private var waiting: [() -> Void] = []

    init(connectionID: String) {
        self.connectionID = connectionID
    }

    /// Starts looking; call once, on the channel's loop.
    func find(for channel: any Channel, proxy: ProxyContext) {
        guard let client = channel.remoteAddress, let own = channel.localAddress else { return known(nil) }
        facts.address = client.ipAddress.map { ip in
            "\(ip.utf8.contains(0x3a) ? "[\(ip)]" : ip):\(client.port ?? 0)"
        }
        proxy.threads.runIfActive(eventLoop: channel.eventLoop) {
            ClientProcess.owner(client: client, proxy: own)
        }
        .assumeIsolated()
        .whenComplete { result in self.known(try? result.get()) }
        // A machine with very many processes must not keep its logins waiting.
        channel.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(250)) { self.release() }
    }

    /// Calls back when the search is over, or has taken too long; at once where it has.
    func whenKnown(_ body: @escaping () -> Void) {
        if isKnown { body() } else { waiting.append(body) }
    }

    private func known(_ owner: ClientProcess.Owner?) {
        facts.process = owner?.name
        facts.processID = owner?.processID
        release()
    }

    private func release() {
        isKnown = true
        let bodies = waiting
        waiting = []
        for body in bodies { body() }
    }
}
