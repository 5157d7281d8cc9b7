import Captures
import Foundation
import JSON
import TestSupport
import Testing

/// What `show --format json` says of a capture with one login.
struct ShownLogin {
    var flows: [JSONValue]
    var capture: String
    private let exchanges: Capture

    /// `capture`: a HAR, or what is read as one.
    init(of capture: String) throws {
        let shown = try Program.run(["show", "--format", "json", capture])
        try #require(shown.status == 0, "\(shown.errors)")
        flows = try JSONParser.parse(shown.output.utf8)["flows"]?.array ?? []
        self.capture = capture
        exchanges = try CaptureReader.read(path: capture)
    }

    var flow: JSONValue { flows.first ?? .null }
    var steps: [JSONValue] { flow["steps"]?.array ?? [] }
    var kinds: [String] { steps.compactMap { $0["kind"]?.string } }

    /// Of protocol messages only: how often a page asks its own server differs from login to login.
    var messageKinds: [String] { kinds.filter { $0 != "user_interaction" } }

    func link(_ name: String, to use: (String, String), by transform: String) -> Bool {
        (flow["links"]?.array ?? []).contains { link in
            link["name"]?.string == name && link["transform"]?.string == transform
                && (link["uses"]?.array ?? []).contains {
                    $0["where"]?.string == use.0 && $0["name"]?.string == use.1
                }
        }
    }

    /// Each step without what every login has anew.
    var told: [String] {
        steps.map { (step: JSONValue) -> String in
            let said = ["kind", "from", "to"].map { JSONWriter.text(of: step[$0] ?? .null) }
            return "\(said.joined(separator: " ")) \(status(of: step["exchange"]))"
        }
    }

    /// Each link without its values and the numbers of exchanges.
    var linked: Set<String> {
        Set(
            (flow["links"]?.array ?? []).flatMap { link in
                (link["uses"]?.array ?? []).map { use in
                    [link["name"], link["transform"], use["where"], use["name"]].map {
                        // The relying party names a cookie for each login anew.
                        ($0?.string ?? "").hasPrefix("mod_auth_openidc_state_")
                            ? "mod_auth_openidc_state" : $0?.string ?? ""
                    }.joined(separator: " ")
                }
            }
        )
    }

    var links: String { JSONWriter.text(of: flow["links"] ?? .null, indented: true) }

    /// The rules that `diagnose` tells of, each with its severity and what is primary marked.
    func findings() throws -> [String] {
        let diagnosis = try Program.run(["diagnose", "--format", "json", capture])
        try #require(diagnosis.status == 0 || diagnosis.status == 1, "\(diagnosis.errors)")
        let flows = try JSONParser.parse(diagnosis.output.utf8)["flows"]?.array ?? []
        return flows.flatMap { $0["findings"]?.array ?? [] }.map { (finding: JSONValue) -> String in
            let (severity, rule) = (finding["severity"]?.string ?? "", finding["rule"]?.string ?? "")
            return "\(severity) \(rule)\(finding["primary"] == true ? " (primary)" : "")"
        }
    }

    // MARK: - The same login, seen elsewhere

    /// Expects the same login in both, message by message: in `other` it was seen by somebody else, who numbers exchanges otherwise
    /// and may know other processes.
    func expectSameLogin(as other: ShownLogin) throws {
        #expect(flows.count == 1 && other.flows.count == 1)
        for name in ["outcome", "provider", "grant", "issuer", "client_id"] {
            #expect(flow[name] == other.flow[name], "\(name)")
        }
        #expect(!steps.isEmpty)
        expectSameMessages(as: other)
        #expect(!valuesLinked.isEmpty)
        #expect(valuesLinked == other.valuesLinked)
        #expect(try findings() == other.findings())
    }

    /// Expects the same messages, and in the same order but for those that were under way at the same time, here or there: which of them
    /// comes first is not the same for everybody.
    private func expectSameMessages(as other: ShownLogin) {
        let (own, others) = (messages, other.messages)
        #expect(own.sorted() == others.sorted())
        let places = Dictionary(grouping: others.indices) { others[$0] }
        var counts: [String: Int] = [:]
        // The same may be said several times.
        let there = own.compactMap { message -> Int? in
            counts[message, default: 0] += 1
            return places[message]?.dropFirst((counts[message] ?? 1) - 1).first
        }
        guard there.count == own.count else { return }
        for later in own.indices {
            for earlier in 0..<later where there[earlier] > there[later] {
                #expect(
                    areAtOnce(earlier, later) || other.areAtOnce(there[earlier], there[later]),
                    "in another order: \(own[earlier]), \(own[later])"
                )
            }
        }
    }

    /// Whether two steps were under way at the same time.
    private func areAtOnce(_ one: Int, _ other: Int) -> Bool {
        guard let one = time(ofStep: one), let other = time(ofStep: other) else { return false }
        return one.overlaps(other)
    }

    private func time(ofStep step: Int) -> ClosedRange<Timestamp>? {
        guard let index = steps[step]["exchange"]?.int, exchanges.indices.contains(Int(index)) else {
            return nil
        }
        let exchange = exchanges[Int(index)]
        return exchange.startedAt...(exchange.startedAt + max(exchange.duration ?? .zero, .zero))
    }

    /// Each step with all that its message says.
    private var messages: [String] {
        steps.map { (step: JSONValue) -> String in
            let said = ["kind", "parameters", "tokens"].map { JSONWriter.text(of: step[$0] ?? .null) }
            return "\(said.joined(separator: " ")) of \(label(of: step["exchange"]))"
        }
    }

    /// Each link, exactly: from which exchange to which.
    ///
    /// But for requests without an answer: what a browser gives up at its end the one may still see and the other not.
    private var valuesLinked: Set<String> {
        var found: Set<String> = []
        for link in flow["links"]?.array ?? [] {
            let name = "\(link["name"]?.string ?? "") \(link["transform"]?.string ?? "")"
            for use in link["uses"]?.array ?? [] where status(of: use["exchange"] ?? .null) != 0 {
                found.insert("\(name) from \(place(link["origin"])) to \(place(use))")
            }
        }
        return found
    }

    private func place(_ value: JSONValue?) -> String {
        "\(value?["where"]?.string ?? "") \(value?["name"]?.string ?? "") of \(label(of: value?["exchange"]))"
    }

    /// What tells an exchange from others of the login.
    private func label(of index: JSONValue?) -> String {
        guard let index = index?.int, exchanges.indices.contains(Int(index)) else { return "nothing" }
        let request = exchanges[Int(index)].request
        return "\(request.method) \(request.url.text) \(status(of: .number(JSONNumber(index))))"
    }

    private func status(of index: JSONValue?) -> Int {
        guard let index = index?.int, exchanges.indices.contains(Int(index)) else { return 0 }
        return exchanges[Int(index)].response?.status ?? 0
    }
}
