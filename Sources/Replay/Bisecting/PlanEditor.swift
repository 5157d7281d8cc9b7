import Captures
import Flows
import JOSE
import JSON
import OAuth

/// Makes a plan that does some things otherwise.
struct PlanEditor {
    private let original: ReplayPlan
    private let options: PlanOptions

    init(_ plan: ReplayPlan, options: PlanOptions) {
        original = plan
        self.options = options
    }

    /// The plan with all edits made; where its values come from is found out anew.
    func plan(with edits: [PlanEdit]) -> ReplayPlan {
        var draft = Draft(original)
        let ordered = edits.enumerated().sorted {
            ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset)
        }
        for (_, edit) in ordered { draft.make(edit) }
        var plan = draft.plan
        if draft.exchanges.count > plan.flow.capture.count {
            plan.flow = plan.flow.moved(to: CaptureIndex(Capture(draft.exchanges)))
        }
        findSources(of: draft.touched, in: &plan)
        return plan
    }

    /// Finds out where the values of changed requests come from, and which secrets are needed now.
    private func findSources(of touched: Set<Int>, in plan: inout ReplayPlan) {
        let planner = ParameterPlanner(
            flow: plan.flow,
            driven: plan.steps.map(\.exchange),
            options: options
        )
        for index in plan.steps.indices where touched.contains(plan.steps[index].exchange) {
            let step = plan.steps[index]
            plan.sent.note(step.request)
            plan.steps[index].parameters = planner.parameters(
                of: step.request,
                at: step.exchange,
                kind: step.kind,
                action: step.action
            )
        }
        plan.secrets = SecretNeeds.of(plan.steps, in: plan.flow, options: options)
    }

    /// A plan while edits are made to it.
    private struct Draft {
        private(set) var plan: ReplayPlan
        /// The recording's, and those of steps that were put in.
        private(set) var exchanges: [Exchange]
        /// Exchanges whose requests were changed.
        private(set) var touched: Set<Int> = []
        /// The steps that were put behind a step, in order.
        private var behind: [Int?: [Int]] = [:]

        init(_ plan: ReplayPlan) {
            self.plan = plan
            exchanges = plan.flow.capture.indices.map { plan.flow.capture[$0] }
        }

        mutating func make(_ edit: PlanEdit) {
            switch edit {
            case .verifier(let new, let old):
                for index in plan.challenges.indices where plan.challenges[index].verifier == old {
                    plan.challenges[index].verifier = new
                }
            case .pause(let exchange, let pause):
                for index in plan.steps.indices where plan.steps[index].exchange == exchange {
                    plan.steps[index].wait = pause
                }
            case .leavingOut(let exchange): plan.steps.removeAll { $0.exchange == exchange }
            case .inserting(var step, let recorded, let anchor):
                step.exchange = exchanges.count
                exchanges.append(recorded)
                touched.insert(step.exchange)
                insert(step, after: anchor)
            case .moving(let exchange, let anchor):
                guard let index = plan.steps.firstIndex(where: { $0.exchange == exchange }) else { return }
                insert(plan.steps.remove(at: index), after: anchor)
            default:
                guard let exchange = edit.exchange,
                    let index = plan.steps.firstIndex(where: { $0.exchange == exchange })
                else { return }
                plan.steps[index].request = PlanEditor.request(plan.steps[index].request, edit)
                touched.insert(exchange)
            }
        }

        private mutating func insert(_ step: PlannedStep, after anchor: Int?) {
            let last = behind[anchor]?.last ?? anchor
            let index = last.flatMap { last in plan.steps.lastIndex { $0.exchange == last } }.map { $0 + 1 }
            plan.steps.insert(step, at: index ?? 0)
            behind[anchor, default: []].append(step.exchange)
        }
    }

    // MARK: - One request

    private static func request(_ request: RecordedRequest, _ edit: PlanEdit) -> RecordedRequest {
        var editor = RequestEditor(request)
        switch edit {
        case .parameter(_, let name, let number, let value, let isInBody):
            editor.set(name, number, to: value, isInBody: isInBody)
        case .withoutParameter(_, let name, let number): editor.remove(name, number)
        case .header(_, let name, let values): editor.setHeader(name, to: values)
        case .member(_, let token, let isHeader, let name, let value):
            set(name, value, isHeader: isHeader, ofToken: token, in: &editor)
        case .credential(_, let name, let value, let spelling):
            setCredential(name, value, inBasic: spelling, in: &editor)
        case .address(_, let address): editor.setAddress(address)
        case .carrier(_, let carrier): editor.setCarrier(carrier)
        case .authentication(_, let method):
            var adjustments = RequestAdjustments()
            adjustments.authentication = method
            return adjustments.applied(to: request, secret: nil)
        case .encodesCredentials(_, let encodes):
            var adjustments = RequestAdjustments()
            adjustments.encodesCredentials = encodes
            return adjustments.applied(to: request, secret: nil)
        case .secretTwice:
            let known = ClientAuthentication(of: request, exchange: 0, parameters: Parameters())
            for parameter in [known.clientID, known.secret].compactMap({ $0 }) {
                editor.set(parameter.name, 0, to: parameter.value, isInBody: true)
            }
        case .assertion(_, let text):
            let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
            editor.set("client_assertion_type", 0, to: type, isInBody: true)
            editor.set("client_assertion", 0, to: text, isInBody: true)
        case .verifier, .pause, .leavingOut, .inserting, .moving: break
        }
        return editor.request
    }

    /// Sets the client's id or secret; of Basic credentials the other part stays as it was sent.
    private static func setCredential(
        _ name: String,
        _ value: String,
        inBasic spelling: String?,
        in editor: inout RequestEditor
    ) {
        if let item = editor.items.first(where: { $0.name == name }) {
            editor.set(name, 0, to: value, isInBody: item.isInBody)
        }
        let known = ClientAuthentication(of: editor.request, exchange: 0, parameters: Parameters())
        guard known.methods == [.secretBasic], let id = known.clientID, let secret = known.secret else {
            return
        }
        let encodes = [id, secret].contains { $0.rawValue != $0.value }
        let new = spelling ?? (encodes ? PercentEncoding.encode(value) : value)
        let pair = [id, secret].map { $0.name == name ? new : $0.rawValue }
        editor.setHeader(
            "Authorization",
            to: ["Basic " + Base64.encode(Array(pair.joined(separator: ":").utf8))]
        )
    }

    /// Sets a member of a token, whose signature is made anew when it is sent.
    private static func set(
        _ name: String,
        _ value: JSONValue?,
        isHeader: Bool,
        ofToken parameter: String,
        in editor: inout RequestEditor
    ) {
        let field = editor.request.headers.first(parameter)
        guard let text = editor.value(of: parameter) ?? field, let token = JSONWebToken.parse(text),
            token.form == .signed, var header = token.header, var claims = token.claims
        else { return }
        if isHeader { header[name] = value } else { claims[name] = value }
        let parts = [header, claims].map { Base64URL.encode(JSONWriter.bytes(of: .object($0))) }
        let changed = (parts + [Base64URL.encode(token.signature)]).joined(separator: ".")
        if let item = editor.items.first(where: { $0.name == parameter }) {
            editor.set(parameter, 0, to: changed, isInBody: item.isInBody)
        } else {
            editor.setHeader(parameter, to: [changed])
        }
    }
}

extension PlanEdit {
    /// The step that is changed; nil for edits of the plan as a whole.
    var exchange: Int? {
        switch self {
        case .parameter(let exchange, _, _, _, _), .withoutParameter(let exchange, _, _),
            .header(let exchange, _, _),
            .member(let exchange, _, _, _, _), .credential(let exchange, _, _, _),
            .authentication(let exchange, _), .assertion(let exchange, _),
            .secretTwice(let exchange), .encodesCredentials(let exchange, _), .address(let exchange, _),
            .carrier(let exchange, _), .pause(let exchange, _), .leavingOut(let exchange),
            .moving(let exchange, _):
            exchange
        case .verifier, .inserting: nil
        }
    }
}
