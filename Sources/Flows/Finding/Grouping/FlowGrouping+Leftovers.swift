import Captures
import OAuth

/// What no message has put into a flow: connections that failed, journeys that were refused, documents that flows share.
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

    /// Each a flow of its own.
    mutating func joinRefusedJourneys() {
        for journey in RefusedJourney.all(in: index, isTaken: { byExchange[$0] != nil }) {
            let flow = new(grant: "authorization_code", journey.steps[0])
            know(journey.host, of: flow)
            for step in journey.steps {
                attach(step, to: flow)
                flow.interactions.insert(step)
            }
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
        let all = DocumentCopies(of: exchanges, documents, index)
        var alone: [String: FlowBuilder] = [:]
        for copies in all.groups {
            if let owners = all.owners(ofMany: copies) {
                for flow in owners { add(all.nearest(copies, to: flow), to: flow) }
            } else {
                for exchange in copies {
                    share(exchange, readAt: all.read(exchange), documents, &alone)
                }
            }
        }
    }

    private mutating func add(_ exchanges: ArraySlice<Int>, to flow: FlowBuilder) {
        for exchange in exchanges {
            if let message = index.messages[exchange] { add(message, to: flow, nil) }
        }
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
