import Captures
import OAuth

/// What no message has put into a flow: connections that failed, documents that flows share.
extension FlowGrouping {
    mutating func failedConnections() {
        var byHost: [String: FlowBuilder] = [:]
        let hadFlows = !builders.isEmpty
        let capture = capture
        lazy var browsers = BrowserProcesses(capture)
        var mentions = HostMentions(index)
        var flows = FlowsOfHosts(builders)
        for exchange in index.order where byExchange[exchange] == nil && index.messages[exchange] == nil {
            let recorded = capture[exchange]
            let isRefusal = RecorderRefusal.isOne(recorded)
            let isKept = ForgeRockStep.isKept(recorded)
            guard isRefusal || isKept || recorded.response == nil && recorded.failure != nil,
                !Asset.isAsset(recorded),
                !(hadFlows && RecorderRefusal.isOfSystem(recorded)),
                let host = recorded.request.url.host
            else { continue }
            let failedWork = index.failedWork(behind: exchange)
            if let flow = flows.nearest(to: host, at: recorded.startedAt)
                ?? failedWork.flatMap({ byExchange[$0] })
            {
                attach(exchange, to: flow)
                continue
            }
            let kind = ProviderRecognizer.kind(ofHost: host)
            let isProvider =
                kind != nil && !index.openedHosts.contains(host)
                && (!hadFlows
                    || !RecorderRefusal.isSupposed(recorded)
                        && (!browsers.contains(recorded) || mentions.areThere(of: host, before: exchange)))
            // Nothing of any login was seen, and the recorder was refused: that is what its user has to know,
            // unless it is some service of the system that calls home.
            let isAllThereIs = !hadFlows && isRefusal && RecorderRefusal.mayBeOfALogin(host)
            guard isProvider || isAllThereIs || isKept || !hadFlows && failedWork != nil else { continue }
            let name = kind?.rawValue ?? host
            let flow = byHost[name] ?? new(grant: "connection", exchange)
            byHost[name] = flow
            flow.providerHosts.insert(host)
            flows.add(flow, of: host)
            attach(exchange, to: flow)
            if isKept { flow.interactions.insert(exchange) }
        }
    }

    /// Discovery, keys, registration: they belong to every flow of their issuer; alone they are a flow of
    /// their own.
    mutating func sharedDocuments() {
        let exchanges =
            index.metadata.map { $0.exchange } + index.keySets.map { $0.exchange }
            + index.registrations.map { $0.exchange }
        guard !exchanges.isEmpty else { return }
        let documents = DocumentOwners(index, builders)
        let followed: [Int: Int] = exchanges.reduce(into: [:]) { list, exchange in
            if let source = index.redirectedFrom[exchange] { list[source] = exchange }
        }
        var alone: [String: FlowBuilder] = [:]
        for copies in groups(of: exchanges, followed, documents) {
            if let owners = owners(ofMany: copies, followed, documents) {
                for flow in owners { add(nearest(copies, to: flow), to: flow) }
            } else {
                for exchange in copies {
                    share(exchange, readAt: read(exchange, followed), documents, &alone)
                }
            }
        }
    }

    /// Documents of which each would do for a login, in order of time; the groups by their first.
    private func groups(of exchanges: [Int], _ followed: [Int: Int], _ documents: DocumentOwners) -> [[Int]] {
        var groups: [String: [Int]] = [:]
        var order: [String] = []
        for exchange in exchanges.sorted(by: { index.position[$0] < index.position[$1] }) {
            let read = read(exchange, followed)
            guard let message = index.messages[read],
                var group = documents.group(of: message, at: read)
            else { continue }
            if read != exchange { group = "redirect to " + group }
            if groups[group] == nil { order.append(group) }
            groups[group, default: []].append(exchange)
        }
        return order.compactMap { groups[$0] }
    }

    /// The flows of documents that are too many to go with each of them; nil for fewer, and for those of no flow.
    private func owners(ofMany copies: [Int], _ followed: [Int: Int], _ documents: DocumentOwners)
        -> [FlowBuilder]?
    {
        guard copies.count > Self.manyCopies, let last = copies.last.map({ read($0, followed) }),
            let message = index.messages[last],
            let owners = documents.owners(of: message, at: last), !owners.isEmpty
        else { return nil }
        return owners
    }

    private mutating func add(_ exchanges: ArraySlice<Int>, to flow: FlowBuilder) {
        for exchange in exchanges {
            if let message = index.messages[exchange] { add(message, to: flow, nil) }
        }
    }

    /// A client that reads the metadata before each login leaves as many of them in the capture as there are logins: of more
    /// than these a flow gets those that it may have read.
    private static let manyCopies = 16

    /// Of documents in order of time the last ones before a flow's end, and the one behind it.
    private func nearest(_ copies: [Int], to flow: FlowBuilder) -> ArraySlice<Int> {
        let end = flow.exchanges.map { index.position[$0] }.max() ?? 0
        let behind = copies.partitionPoint { index.position[$0] > end }
        return copies[max(0, behind - Self.manyCopies / 2)..<min(copies.count, behind + 1)]
    }

    /// Where a client that was sent on by redirects read a document at last.
    private func read(_ exchange: Int, _ followed: [Int: Int]) -> Int {
        var exchange = exchange
        for _ in 0..<10 {
            guard let next = followed[exchange] else { break }
            exchange = next
        }
        return exchange
    }

    private mutating func share(
        _ exchange: Int,
        readAt last: Int,
        _ documents: DocumentOwners,
        _ alone: inout [String: FlowBuilder]
    ) {
        guard let message = index.messages[exchange], let read = index.messages[last],
            let owners = documents.ownersInTime(of: read, at: last)
        else { return }
        guard owners.isEmpty else {
            for flow in owners { add(message, to: flow, nil) }
            return
        }
        if let request = index.keysFromElsewhere[last], let flow = byExchange[request.exchange] {
            return add(message, to: flow, nil)
        }
        // Documents that lead from one to the next stay together: resource, server, keys.
        let hosts =
            [capture[exchange], capture[last]].map { $0.request.url.host ?? "" }
            + DocumentOwners.hostsNamed(by: read)
        let flow = hosts.compactMap { alone[$0] }.first ?? new(grant: "discovery", exchange)
        // Metadata are read for the sake of what follows.
        if flow.grant == "discovery", Self.isOfRegistration(message) { flow.grant = "registration" }
        for host in hosts where alone[host] == nil { alone[host] = flow }
        add(message, to: flow, hosts[0])
    }

    private static func isOfRegistration(_ message: OAuthMessage) -> Bool {
        switch message {
        case .registration, .clientConfiguration: true
        default: false
        }
    }
}

/// The processes of browsers: a connection that failed has mostly no user agent of its own.
private struct BrowserProcesses {
    private let names: Set<String>

    init(_ capture: Capture) {
        names = Set(
            capture.indices.lazy.map { capture[$0] }.filter(Self.isSentByOne).compactMap(\.client.process)
        )
    }

    func contains(_ exchange: Exchange) -> Bool {
        Self.isSentByOne(exchange) || exchange.client.process.map(names.contains) ?? false
    }

    private static func isSentByOne(_ exchange: Exchange) -> Bool {
        guard let agent = exchange.request.userAgent else { return false }
        return UserAgentName.isOnDevice(agent) && !UserAgentName.isNativeApp(agent)
    }
}
