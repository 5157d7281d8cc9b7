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
    /// Whether it is another machine's.
    private(set) var isRemote = false
    /// Whether it need not say who it is.
    private(set) var isVouchedFor = false
    private var isKnown = false
    private var isFound = false
    private var waiting: [() -> Void] = []
    private var waitingLong: [() -> Void] = []

    private var owner: ClientProcess.Owner?

    init(connectionID: String) {
        self.connectionID = connectionID
    }

    deinit { if let owner { ClientProcess.left(owner) } }

    /// Starts looking; call once, on the channel's loop.
    func find(for channel: any Channel, proxy: ProxyContext) {
        guard let client = channel.remoteAddress, let own = channel.localAddress else {
            return found(nil, isVouchedFor: false)
        }
        isRemote = proxy.configuration.isRemote(client, own)
        facts.address = client.ipAddress.map { URLAuthority.text($0, port: client.port ?? 0) }
        if !isRemote, proxy.configuration.proxyCredentials == nil,
            let owner = ClientProcess.likelyOwner(client: client, proxy: own)
        {
            return found(owner, isVouchedFor: false)
        }
        let vouchesFor =
            isRemote || proxy.configuration.proxyCredentials == nil ? nil : proxy.configuration.vouchesFor
        proxy.threads.runIfActive(eventLoop: channel.eventLoop) {
            let owner = ClientProcess.owner(client: client, proxy: own)
            return (owner, owner.map { vouchesFor?($0.processID) ?? false } ?? false)
        }
        .assumeIsolated()
        .whenComplete { result in
            let (owner, isVouchedFor) = (try? result.get()) ?? (nil, false)
            self.found(owner, isVouchedFor: isVouchedFor)
        }
        // A machine with very many processes must not keep its logins waiting.
        channel.eventLoop.assumeIsolated().scheduleTask(in: .seconds(1)) { self.release() }
    }

    /// Calls back when the search is over, or has taken too long; at once where it has.
    func whenKnown(_ body: @escaping () -> Void) {
        if isKnown { body() } else { waiting.append(body) }
    }

    /// Calls back when the search is over, however long it takes; at once where it is.
    func whenFound(_ body: @escaping () -> Void) {
        if isFound { body() } else { waitingLong.append(body) }
    }

    private func found(_ owner: ClientProcess.Owner?, isVouchedFor: Bool) {
        self.owner = owner
        facts.process = owner?.name
        facts.processID = owner?.processID
        self.isVouchedFor = isVouchedFor
        release()
        isFound = true
        let bodies = waitingLong
        waitingLong = []
        for body in bodies { body() }
    }

    /// Whether a connection comes from elsewhere than from this machine, by whichever of its addresses.
    static func isRemote(
        _ client: SocketAddress,
        _ own: SocketAddress,
        machine: () -> MachineAddresses = MachineAddresses.current
    ) -> Bool {
        if AddressReach(client) == .loopback { return false }
        guard let address = client.ipAddress.map(MachineAddresses.canonical),
            address != own.ipAddress.map(MachineAddresses.canonical)
        else { return false }
        return !machine().contain(address)
    }

    private func release() {
        isKnown = true
        let bodies = waiting
        waiting = []
        for body in bodies { body() }
    }
}
