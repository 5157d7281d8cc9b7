import Captures
import OAuth

/// What no message has put into a flow: refused pushes, connections that failed, documents that flows share.
extension FlowGrouping {
    mutating func refusedPushes() {
        for (exchange, call) in pushed.sorted(by: { $0.key < $1.key }) {
            let flow = new(grant: "authorization_code", exchange)
            flow.clientID = call.authentication.clientID?.value
            add(.pushedRequest(call), to: flow, capture[exchange].request.url.host)
        }
    }

    mutating func failedConnections() {
        var byHost: [String: FlowBuilder] = [:]
        let hadFlows = !builders.isEmpty
        for exchange in index.order where byExchange[exchange] == nil && index.messages[exchange] == nil {
            let recorded = capture[exchange]
            let isRefusal = RecorderRefusal.isOne(recorded)
            guard isRefusal || recorded.response == nil && recorded.failure != nil,
                let host = recorded.request.url.host
            else { continue }
            let near = builders.filter {
                $0.grant != "connection" && ($0.providerHosts.contains(host) || $0.clientHosts.contains(host))
            }
            if let flow = near.last(where: { $0.startedAt <= recorded.startedAt }) ?? near.first {
                attach(exchange, to: flow)
                continue
            }
            let kind = ProviderRecognizer.kind(ofHost: host)
            let isProvider = kind != nil && !index.openedHosts.contains(host)
            // Nothing of any login was seen, and the recorder was refused: that is what its user has to know,
            // unless it is some service of the system that calls home.
            let isAllThereIs = !hadFlows && isRefusal && RecorderRefusal.mayBeOfALogin(host)
            guard isProvider || isAllThereIs || !hadFlows && isBehindAFailure(exchange) else { continue }
            let name = kind?.rawValue ?? host
            let flow = byHost[name] ?? new(grant: "connection", exchange)
            byHost[name] = flow
            flow.providerHosts.insert(host)
            attach(exchange, to: flow)
        }
    }

    /// Whether a connection failed while a server was at work on another's request, and that came to nothing: the app
    /// could not reach whom it needed to begin a login.
    func isBehindAFailure(_ exchange: Int) -> Bool {
        let failed = capture[exchange]
        guard let sender = failed.client.process else { return false }
        let place = index.position[exchange]
        let before = index.order[..<place].suffix(50)
        return before.contains { other in
            let asked = capture[other]
            return asked.client.process.map { $0 != sender } ?? false
                && asked.startedAt <= failed.startedAt && asked.endedAt >= failed.endedAt
                && (asked.response?.status ?? 0) >= 500
        }
    }

    /// Discovery, keys, registration: they belong to every flow of their issuer; alone they are a flow of
    /// their own.
    mutating func sharedDocuments() {
        let documents = DocumentOwners(index, builders)
        var alone: [String: FlowBuilder] = [:]
        for exchange in index.order {
            guard let message = index.messages[exchange],
                let owners = documents.owners(of: message, at: exchange)
            else { continue }
            if owners.isEmpty {
                // Documents that lead from one to the next stay together: resource, server, keys.
                let hosts =
                    [capture[exchange].request.url.host ?? ""] + DocumentOwners.hostsNamed(by: message)
                let grant = if case .registration = message { "registration" } else { "discovery" }
                let flow = hosts.lazy.compactMap { alone[$0] }.first ?? new(grant: grant, exchange)
                for host in hosts where alone[host] == nil { alone[host] = flow }
                add(message, to: flow, hosts[0])
            } else {
                for flow in owners { add(message, to: flow, nil) }
            }
        }
    }
}
