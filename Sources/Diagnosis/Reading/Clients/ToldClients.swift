import Captures
import Flows
import JSON
import OAuth

/// What was answered about registrations, by client and by the site that was asked.
struct ToldClients: Sendable {
    /// About one client, in the order of time.
    struct Calls: Sendable {
        private var reads: [EndpointCall] = []
        /// Those that registered, changed or deleted it.
        private var changes: [EndpointCall] = []
        private var deletions: [EndpointCall] = []
        /// Those whose answers have its secret.
        private var secrets: [EndpointCall] = []
        /// The latest one whose answer tells of it.
        private(set) var latest: EndpointCall?

        mutating func add(_ call: EndpointCall) {
            if call.method == "GET" { reads.append(call) } else { changes.append(call) }
            if call.isDeletion { deletions.append(call) }
            if call.issuedSecret != nil { secrets.append(call) }
            if call.answer.parameters.contains("client_id") { latest = call }
        }

        func last(before time: Int, _ position: [Int]) -> EndpointCall? {
            [reads, changes].compactMap { Self.last(of: $0, before: time, position) }
                .max { position[$0.exchange] < position[$1.exchange] }
        }

        /// The client at a time; nil where it was not there, or not any more.
        func client(before time: Int, _ position: [Int]) -> RegisteredClient? {
            let change = Self.last(of: changes, before: time, position)
            let begin = change.map { position[$0.exchange] } ?? -1
            let end = reads.partitionPoint { position[$0.exchange] >= time }
            let read = reads[..<end].suffix(Self.mostReads).filter { position[$0.exchange] > begin }
            let deleted = Self.last(of: deletions, before: time, position).map { position[$0.exchange] } ?? -1
            let secret = Self.last(of: secrets, before: time, position)
            return RegisteredClient(
                (read.reversed() + [change].compactMap(\.self)).filter { !$0.isDeletion },
                secretCall: secret.flatMap { position[$0.exchange] > deleted ? $0 : nil }
            )
        }

        private static func last(of calls: [EndpointCall], before time: Int, _ position: [Int])
            -> EndpointCall?
        {
            calls[..<calls.partitionPoint { position[$0.exchange] >= time }].last
        }

        /// Of a client that is read before each login.
        private static let mostReads = 32
    }

    private var byClient: [ByteText: [String: Calls]] = [:]

    /// `calls`: in the order of time.
    init(_ calls: [EndpointCall]) {
        for call in calls where call.answer.isSuccess {
            guard let client = call.registeredClient else { continue }
            byClient[ByteText(client), default: [:]][Site.of(call.endpoint.host ?? ""), default: Calls()]
                .add(call)
        }
    }

    /// Those at the site of a flow's provider at which the client was told of last before a time; nil where it was not told of.
    func calls(about client: String?, before time: Int, in flow: Flow) -> Calls? {
        let position = flow.surroundings.position
        return calls(about: client, in: flow)
            .compactMap { calls in calls.last(before: time, position).map { (calls, position[$0.exchange]) } }
            .max { $0.1 < $1.1 }?.0
    }

    /// The latest answer that tells of a client.
    func latest(_ client: String, in flow: Flow) -> EndpointCall? {
        let position = flow.surroundings.position
        return calls(about: client, in: flow).compactMap(\.latest)
            .max { position[$0.exchange] < position[$1.exchange] }
    }

    private func calls(about client: String?, in flow: Flow) -> [Calls] {
        guard let client, let sites = byClient[ByteText(client)] else { return [] }
        let provider = flow.providerFacts
        return sites.compactMap { provider.registersClients(at: $0.key) ? $0.value : nil }
    }
}
