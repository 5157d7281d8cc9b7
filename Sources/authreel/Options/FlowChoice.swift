import Captures
import Flows
import Foundation

/// A flow of a capture, as the command line names it: `FILE` or `FILE#flow-2`.
struct FlowChoice {
    /// The capture.
    let path: String
    /// The flow's id; nil leaves the choice open.
    let id: String?

    /// `flow`: where the name does not say it.
    init(_ argument: String, flow: String?) {
        // A file may have a number sign in its name.
        guard let mark = argument.lastIndex(of: "#"), !FileManager.default.fileExists(atPath: argument) else {
            path = argument
            id = flow
            return
        }
        path = String(argument[..<mark])
        id = String(argument[argument.index(after: mark)...])
    }

    /// All flows of the capture; one at least.
    func flows(_ identities: IdentityOptions) throws -> [Flow] {
        let flows = FlowFinder.flows(in: try identities.read(path))
        guard flows.isEmpty else { return flows }
        throw CommandFailure(
            .dataError,
            "\(name): no OAuth or OpenID Connect traffic in it, so there is nothing to compare",
            hint: "a login that breaks before the provider is asked leaves none; record both halves"
        )
    }

    /// The flow that is meant: the one that is named, else the first with an authorization request, else the first.
    func flow(of flows: [Flow]) throws -> Flow {
        guard let id else { return flows.first { !$0.authorizationRequests.isEmpty } ?? flows[0] }
        guard let flow = flows.first(where: { $0.id == id }) else {
            throw CommandFailure.noFlow(id, in: name, known: flows.map(\.id))
        }
        return flow
    }

    /// Both sides of a comparison are the same flow, which is what nobody means: said, and refused where they are standard input,
    /// since who writes `-` twice has two captures.
    func tellOfItself(_ own: Flow, among flows: [Flow]) throws {
        let ids = flows.map(\.id)
        let words = "both sides are \(own.id) of \(name)"
        let other = ids.count > 1 ? twoOf(ids, own) : nil
        guard path != "-" else {
            throw CommandFailure(.usage, words, hint: other ?? "give one of the two captures as a file")
        }
        StandardError.note(words)
        StandardError.hint(other ?? "name a second capture")
    }

    /// As it is told of.
    private var name: String { path == "-" ? "standard input" : path }

    private func twoOf(_ ids: [String], _ flow: Flow) -> String {
        // What begins with a hyphen is an option.
        let file = path == "-" ? "/dev/stdin" : path
        return "name two of its flows, as \(file)#\(flow.id); it has \(CommandFailure.listed(ids))"
    }

    /// Two flows of one capture: the one that is meant, and the next of the same client and grant.
    func pair(of flows: [Flow]) throws -> (Flow, Flow) {
        let first = try flow(of: flows)
        let behind = flows.drop { $0.id != first.id }.dropFirst()
        guard let second = behind.first(where: { $0.clientID == first.clientID && $0.grant == first.grant })
        else {
            throw CommandFailure(
                .usage,
                "\(name) has no second login of the same client to compare \(first.id) with",
                hint: flows.count > 1
                    ? twoOf(flows.map(\.id), first)
                    : "name a second capture: \(Invocation.command("diff", "works.har", path))"
            )
        }
        return (first, second)
    }
}
