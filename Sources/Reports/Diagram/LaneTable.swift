import Captures
import Flows

/// The lanes of a diagram: who asks and who answers, each once.
///
/// A server that answers at an address and asks under a process's name is one participant, where there is one such server
/// only.
struct LaneTable {
    private(set) var lanes: [SequenceDiagram.Lane] = []

    /// From left to right: who starts, who is asked for the login, who says who somebody is.
    private static let order: [Participant.Role] = [.browser, .app, .backend, .provider, .resource]

    /// `exchanges`: of the flow; they tell who there is where none of them is a step.
    init(_ steps: [Step], _ exchanges: [Int], _ capture: Capture) {
        guard !steps.isEmpty else {
            lanes = Self.lanes(of: exchanges, capture)
            return
        }
        var servers: [SequenceDiagram.Lane] = []
        var clients: [SequenceDiagram.Lane] = []
        func add(_ lane: SequenceDiagram.Lane, to list: inout [SequenceDiagram.Lane]) {
            if !list.contains(lane) { list.append(lane) }
        }
        for step in steps {
            if Self.isAsked(step) {
                add(Self.lane(of: step.to, at: Self.host(of: step, capture)), to: &servers)
                add(Self.lane(of: step.from, at: nil), to: &clients)
            } else {
                // The browser takes the provider's word to the app.
                add(Self.lane(of: step.to, at: nil), to: &clients)
            }
        }
        // What is one role and one participant on each side is one in all.
        for role in Self.order {
            var asking = clients.filter { $0.role == role }
            var answering = servers.filter { $0.role == role }
            if role == .app || role == .browser, asking.count > 1 {
                asking.removeAll { $0.name == role.rawValue }
            }
            // A provider sends logout tokens.
            if asking.count == 1, answering.count == 1, [.backend, .app, .provider].contains(role) {
                answering[0].name = asking[0].name
                asking = []
            }
            lanes += asking + answering
        }
    }

    /// Who was on both sides of connections over which nothing was said.
    private static func lanes(of exchanges: [Int], _ capture: Capture) -> [SequenceDiagram.Lane] {
        let clients = exchanges.map { exchange in
            SequenceDiagram.Lane(role: .app, name: capture[exchange].client.process ?? "client")
        }
        let servers = exchanges.map { exchange in
            SequenceDiagram.Lane(
                role: .provider,
                name: "provider",
                host: capture[exchange].request.url.hostAndPort
            )
        }
        return (clients + servers).eachOnce()
    }

    /// Who sends what is no step: the process by its name, also where it answers, else the first that asks at all.
    func sender(of exchange: Int, _ capture: Capture) -> Int? {
        let process = capture[exchange].client.process
        return lanes.firstIndex { $0.name == process } ?? lanes.firstIndex { $0.host == nil }
            ?? first(.backend)
    }

    /// Who sends a step's request; nil where nobody of the diagram does.
    func sender(of step: Step) -> Int? { index(of: step.from, at: nil) }

    func receiver(of step: Step, _ capture: Capture) -> Int? {
        Self.isAsked(step)
            ? index(of: step.to, at: Self.host(of: step, capture)) : index(of: step.to, at: nil)
    }

    /// The first lane of a role.
    func first(_ role: Participant.Role) -> Int? { lanes.firstIndex { $0.role == role } }

    func index(answeringAt host: String) -> Int? { lanes.firstIndex { $0.host == host } }

    private func index(of participant: Participant, at host: String?) -> Int? {
        if let host, let index = lanes.firstIndex(where: { $0.role == participant.role && $0.host == host }) {
            return index
        }
        return lanes.firstIndex { $0.role == participant.role && $0.name == participant.name }
            ?? lanes.firstIndex { $0.role == participant.role }
    }

    /// Whether the step is a request to its receiver; a redirect to an app's own address is none.
    static func isAsked(_ step: Step) -> Bool { step.from.role != .provider || step.to.role != .app }

    private static func host(of step: Step, _ capture: Capture) -> String? {
        capture[step.exchange].request.url.hostAndPort
    }

    private static func lane(of participant: Participant, at host: String?) -> SequenceDiagram.Lane {
        SequenceDiagram.Lane(role: participant.role, name: participant.name, host: host)
    }
}
