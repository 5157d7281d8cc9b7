import Captures
import Flows
import Foundation
import Replay
import Reports

/// What has to be clear before the first request is sent.
enum ReplayCheck {
    /// Secrets that are neither in the capture nor given.
    ///
    /// - Parameters:
    ///   - plans: of the flows, by name.
    ///   - given: the names of those that are there.
    ///   - hasPerson: somebody signs in by hand, and knows what is typed.
    /// - Throws: ``CommandFailure`` that names each with the option that gives it.
    static func secrets(
        of plans: [(name: String, plan: ReplayPlan)],
        given: Set<String>,
        hasPerson: Bool = false
    ) throws {
        var missing: [(need: SecretNeed, name: String)] = []
        for (name, plan) in plans {
            for need in hasPerson ? plan.secretsBesidesThePersons : plan.secrets
            where !need.isRecorded && !given.contains(need.name) {
                if !missing.contains(where: { $0.need.name == need.name }) { missing.append((need, name)) }
            }
        }
        guard let first = missing.first else { return }
        // Each purpose once, behind the names that serve it.
        var purposes: [(words: String, names: [String])] = []
        for need in missing.map(\.need) {
            if let known = purposes.firstIndex(where: { $0.words == need.purpose }) {
                purposes[known].names.append(need.name)
            } else {
                purposes.append((need.purpose, [need.name]))
            }
        }
        let needs = purposes.map { "\($0.names.joined(separator: " and ")) (\($0.words))" }
        let options = missing.map { option(for: $0.need.name) }
        let isShared = plans.contains { $0.plan.flow.capture.redaction != nil }
        throw CommandFailure(
            .usage,
            "\(first.name) needs what it does not hold: \(needs.joined(separator: ", "))",
            hint: options.joined(separator: " ")
                + (isShared ? "; at a mock of the same capture its stand-ins will do: --stand-ins" : "")
        )
    }

    private static func option(for name: String) -> String {
        switch name {
        case SecretNames.clientKey: return "--secret client_key=file:client.pem"
        // A shell has a variable of this name, with somebody else in it.
        case SecretNames.username: return "--secret username=env:LOGIN_NAME"
        default:
            let variable = name.uppercased().map { $0.isLetter || $0.isNumber ? String($0) : "_" }.joined()
            return "--secret \(ShellWord.quoted(name))=env:\(variable)"
        }
    }

    /// Options that fit nothing of what is driven: a slip in one would send the recorded values to the recorded provider.
    ///
    /// Secrets that nobody asks for are only told of: a suite's captures share them.
    /// - Parameters:
    ///   - plans: of the flows.
    ///   - map: of `--map`.
    ///   - overrides: the names of `--set`.
    ///   - secrets: the names of `--secret`.
    ///   - isEntered: whether one of them is entered on pages that the recording does not have.
    /// - Throws: ``CommandFailure`` for `--map` and `--set`.
    static func options(
        of plans: [ReplayPlan],
        map: EndpointMap,
        overrides: some Sequence<String>,
        secrets: Set<String>,
        isEntered: (String) -> Bool
    ) throws(CommandFailure) {
        for entry in map.entries {
            let single = EndpointMap([entry])
            guard !plans.contains(where: { $0.isMoved(by: single) }) else { continue }
            let origins = plans.flatMap { PlanText.origins(of: $0, EndpointMap()) }
            throw CommandFailure(
                .usage,
                "--map \(entry.old)=\(entry.new): nothing goes to \(entry.old), so it would be sent to the recorded provider",
                hint: "recorded are \(Set(origins).sorted().joined(separator: ", "))"
            )
        }
        for name in overrides where !plans.contains(where: { isSettable(name, in: $0) }) {
            throw CommandFailure(
                .usage,
                "--set \(name)=…: no request has such a parameter",
                hint:
                    "--plan lists them; STEP.PARAM, as in token_request.resource, adds one to a step that there is"
            )
        }
        let takesName = plans.contains { $0.recordedUsername != nil }
        let asked = Set(plans.flatMap { $0.secrets.map(\.name) } + (takesName ? [SecretNames.username] : []))
        let isSigningIn = plans.contains { !$0.flow.logins.isEmpty }
        for name in secrets.subtracting(asked).sorted() where !isSigningIn || !isEntered(name) {
            let known = asked.isEmpty ? "" : "; asked for are \(asked.sorted().joined(separator: ", "))"
            StandardError.warn("--secret \(name): nothing that is driven asks for it\(known)")
        }
    }

    private static func isSettable(_ name: String, in plan: ReplayPlan) -> Bool {
        plan.steps.contains { step in
            if let kind = step.kind?.rawValue, name.hasPrefix(kind + "."), name.count > kind.count + 1 {
                return true
            }
            return step.parameters.contains { $0.name == name || $0.asksFor(name) }
                || step.request.url.queryItems.first(name) != nil
                || FormBody.items(of: step.request.body)?.first(name) != nil
        }
    }

    /// Tells of requests whose bodies are not in the capture: they are sent without, and refused for that.
    static func bodies(of plans: [(name: String, plan: ReplayPlan)]) {
        for (name, plan) in plans {
            let lacking = plan.steps.filter(\.lacksBody)
            guard !lacking.isEmpty else { continue }
            let places = lacking.map { "\($0.request.method) \($0.request.url.path) [\($0.exchange)]" }
            StandardError.warn(
                "\(name): the capture has no body of \(places.joined(separator: ", ")), and nothing is sent in its place: "
                    + "export it with content, or record with authreel"
            )
        }
    }

    /// Requests that change something beyond the login: asked for on a terminal, else refused without `--yes`.
    static func sideEffects(
        of plans: [(name: String, plan: ReplayPlan)],
        at target: ReplayTarget,
        isAllowed: Bool
    ) throws {
        let requests = plans.flatMap { name, plan in
            let addresses = DrivenAddresses(of: plan, target.map(for: plan.flow))
            return plan.steps.filter(\.hasSideEffect).map { step in
                "\(name): \(step.request.method) \(PlanText.text(of: addresses[step]))"
            }
        }
        guard !requests.isEmpty, !isAllowed else { return }
        for request in requests { StandardError.note("changes something beyond the login: \(request)") }
        guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else {
            throw CommandFailure(
                .usage,
                "the replay would send \(requests.count.counted("request")) that change something beyond the login",
                hint: "--yes sends them; --plan shows all that would be sent"
            )
        }
        FileHandle.standardError.write(Data("send them? [y/N] ".utf8))
        let answer = readLine()?.lowercased() ?? ""
        guard answer == "y" || answer == "yes" else {
            throw CommandFailure(.usage, "nothing was sent", hint: nil)
        }
    }
}
