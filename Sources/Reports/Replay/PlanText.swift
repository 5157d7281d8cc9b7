package import Captures
import Flows
package import Replay

/// A replay's plan for people: whom it speaks to, what is sent in which order, and where each value comes from.
package enum PlanText {
    /// `map`: where the requests go in place of the recorded endpoints; `columns`: how wide lines may be, nil for as wide as they are.
    package static func text(
        of plan: ReplayPlan,
        map: EndpointMap,
        given: Set<String>,
        style: TextStyle,
        columns: Int? = nil
    ) -> String {
        let flow = plan.flow
        let head = [
            flow.id, flow.grant, FlowHead.provider(flow.provider),
            flow.clientID.map { "client \(FlowHead.name($0))" },
        ].compactMap { $0 }
        var lines = [style.bold(head.joined(separator: " · ").printable)]
        let targets = origins(of: plan, map)
        lines.append("  speaks to \(targets.isEmpty ? "nobody" : targets.joined(separator: ", "))".printable)
        lines.append("")
        let width = plan.steps.map { name(of: $0).count }.max() ?? 0
        let addresses = DrivenAddresses(of: plan, map)
        let sheet = Sheet(nameWidth: width, columns: columns, style: style)
        for (step, drawn) in zip(plan.steps, plan.drawnNames) {
            lines += self.lines(for: step, of: plan, addresses, given, drawn, sheet)
        }
        lines += leftOut(plan, columns)
        lines += secrets(plan, given, style, columns)
        return lines.joined(separator: "\n")
    }

    /// Whom the plan speaks to, in the order in which they are met.
    package static func origins(of plan: ReplayPlan, _ map: EndpointMap) -> [String] {
        plan.steps.map { map.mapped($0.request.url) }.compactMap { url in
            url.scheme.flatMap { scheme in url.hostAndPort.map { "\(scheme)://\($0)" } }
        }.eachOnce()
    }

    /// An address as it is shown; a client's own may have its token in it.
    package static func text(of address: RecordedURL) -> String {
        Masking.shown(address.text, of: "registration_client_uri")
    }

    static func name(of step: PlannedStep) -> String { step.kind?.rawValue ?? "page script" }

    // MARK: - Steps

    /// What lines are written on.
    private struct Sheet {
        /// Of the names of steps.
        var nameWidth: Int
        var columns: Int?
        var style: TextStyle

        /// An address of a step, which is cut where it has no room: its beginning says where it goes.
        func shortened(_ text: String, before words: String) -> String {
            let left = columns.map { $0 - nameWidth - 9 - words.count }
            return left.map { text.shortened(to: max($0, 40)) } ?? text
        }

        /// Words below a step.
        func below(_ words: String) -> [String] {
            PlanText.lines(words, indent: "         ", columns).map { style.dim($0) }
        }
    }

    /// Broken at spaces where lines may not be wider.
    static func lines(_ words: String, indent: String, _ columns: Int?) -> [String] {
        let text = words.printable
        return columns.map { text.wrapped(to: $0, indent: indent, hanging: "  ") } ?? [indent + text]
    }

    private static func lines(
        for step: PlannedStep,
        of plan: ReplayPlan,
        _ addresses: DrivenAddresses,
        _ given: Set<String>,
        _ drawn: [String],
        _ sheet: Sheet
    ) -> [String] {
        let style = sheet.style
        let method = plan.flow.capture[step.exchange].request.method
        let url = text(of: addresses[step])
        var lines: [String] = []
        if let wait = step.wait {
            lines.append("       \(style.yellow("waits \(seconds(wait)), as the recording did"))")
        }
        let place = style.dim("[\(step.exchange)]".padded(to: 5))
        let how =
            switch step.action {
            case .send: "\(method) \(url)"
            case .follow(let source): "follows the redirect of [\(source)]"
            case .submit(let page): "fills in the form of [\(page)], \(method) \(url)"
            }
        let warning = step.hasSideEffect ? "  changes something beyond the login" : ""
        let shown = sheet.shortened(how.printable, before: warning)
        let asks = warning.isEmpty ? "" : style.yellow(warning)
        let title = style.bold(name(of: step).padded(to: sheet.nameWidth))
        lines.append("  \(place)\(title)  \(shown)\(asks)")
        if step.lacksBody {
            let words = "the body is not in the capture, and nothing is sent in its place"
            lines.append("         " + style.yellow(words))
        }
        var recorded: [String] = []
        for parameter in step.parameters {
            let isGivenName = given.contains(SecretNames.username) && plan.namesUser(parameter)
            guard let words = isGivenName ? "given" : words(parameter.source, plan, given) else {
                recorded.append(parameter.name)
                continue
            }
            lines.append("         \(parameter.name.printable.padded(to: 22)) \(words)")
        }
        recorded.removeAll(where: drawn.contains)
        if !recorded.isEmpty { lines += sheet.below("as recorded: \(recorded.joined(separator: ", "))") }
        if !drawn.isEmpty {
            let names = drawn.joined(separator: ", ")
            lines += sheet.below("as recorded, and stale where the page's script makes it anew: \(names)")
        }
        return lines
    }

    /// Where a value comes from; nil where it is sent as recorded.
    private static func words(_ source: ValueSource, _ plan: ReplayPlan, _ given: Set<String>) -> String? {
        switch source {
        case .literal: nil
        case .form: "from the page"
        case .issued(let place): "from the answer to [\(place.exchange ?? 0)]: \(place.name)".printable
        case .secret(let name, let isRecorded):
            given.contains(name)
                ? "given" : isRecorded ? "from the recording" : "needed: \(option(for: name))=…".printable
        case .generated(let kind):
            switch kind {
            case .state, .nonce, .codeVerifier: "made anew"
            case .codeChallenge: "made of a new verifier"
            case .clientAssertion, .requestObject: "signed anew"
            case .grantAssertion:
                given.contains(SecretNames.clientKey)
                    ? "signed anew"
                    : "as recorded, and may have run out; signed anew with --secret \(SecretNames.clientKey)=…"
            case .dpopProof: "signed anew with a key of this run"
            case .dpopThumbprint: "of this run's key"
            }
        }
    }

    /// The option that gives a secret: its name is that of a field of a page, which may be a command to a shell.
    private static func option(for name: String) -> String { "--secret \(ShellWord.quoted(name))" }

    // MARK: - What is not driven

    private static func leftOut(_ plan: ReplayPlan, _ columns: Int?) -> [String] {
        let groups = LeftOutWords.grouped(plan.leftOut)
        guard !groups.isEmpty else { return [] }
        return ["", "  not driven:"]
            + groups.flatMap { words, exchanges in
                let places = exchanges.map { "[\($0)]" }.joined(separator: " ")
                return lines("\(words): \(places)", indent: "    ", columns)
            }
    }

    private static func secrets(
        _ plan: ReplayPlan,
        _ given: Set<String>,
        _ style: TextStyle,
        _ columns: Int?
    ) -> [String] {
        guard !plan.secrets.isEmpty else { return [] }
        return ["", "  secrets:"]
            + plan.secrets.flatMap { need -> [String] in
                let head = "    \(need.name.printable.padded(to: 20)) "
                let isGiven = given.contains(need.name)
                let state =
                    isGiven
                    ? "given"
                    : need.isRecorded
                        ? "from the recording" : "needed: \(option(for: need.name))=env:VARIABLE".printable
                func styled(_ words: String) -> String {
                    isGiven ? style.green(words) : need.isRecorded ? words : style.red(words)
                }
                guard let columns, head.count + need.purpose.count + 2 + state.count > columns else {
                    return ["\(head)\(need.purpose); \(styled(state))"]
                }
                let purpose = "\(need.purpose);".behind(head, of: head.count, columns: columns)
                return [purpose] + state.wrapped(to: columns, indent: "      ").map(styled)
            }
    }

    static func seconds(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        return seconds >= 10
            ? "\(seconds) s" : "\(Double(seconds * 10 + attoseconds / 100_000_000_000_000_000) / 10) s"
    }
}
