import Captures
import JOSE
import JSON
import LibCrypto
import OAuth

/// One request being answered: the protocol's logic, the same for every provider.
///
/// What it says, and where, is the dialect's; whom it knows, the configuration's.
struct ProviderEngine {
    let context: ProviderContext
    var state: ProviderState
    /// The endpoint that is asked, as it is played, with its own query; nil elsewhere.
    private(set) var askedEndpoint: String?
    /// What is to be sent of its own accord.
    var notices = PendingNotices()
    /// What a provider that looks at everything refuses the request for.
    var missed: Fault.Check?

    init(_ context: ProviderContext, _ state: ProviderState) {
        self.context = context
        self.state = state
    }

    var configuration: ProviderConfiguration { context.configuration }
    var dialect: ProviderDialect { context.dialect }
    var policy: ProviderPolicy { context.policy }
    var random: @Sendable (Int) -> [UInt8] { context.random }
    var now: Timestamp { context.now }

    /// The refusal that follows from a check, unless a fault leaves it out.
    mutating func unlessOmitted(_ refusal: Refusal?, _ check: Fault.Check) -> Refusal? {
        guard refusal != nil else { return nil }
        missed = check
        return policy.faults.contains { $0.omission == check } ? nil : refusal
    }

    mutating func respond(to request: RecordedRequest) -> ProviderAnswer {
        var answer = answer(to: request)
        let facts = faultContext(of: request, answer)
        let kind = notices.bringTokens ? .tokenResponse : AnswerKind(facts, answer)
        var occasions = FaultOccasions(policy, kind: kind, context: facts)
        occasions.alter(&answer)
        notices.alter(by: &occasions, in: facts, counting: &state.counts)
        var renderer = AnswerRenderer(state: state, random: random)
        state = ProviderState()
        var response = renderer.response(answer)
        let requests = notices.requests(by: &renderer)
        state = renderer.state
        // RFC 9110, section 6.6.1: whoever has a clock says so; times in tokens are judged by it.
        if !response.headers.contains("date") { response.headers.append("Date", now.httpDate) }
        OriginPermissions(configuration, dialect).allow(request, &response)
        occasions.alter(&response)
        occasions.note(request)
        occasions.note(missed)
        return ProviderAnswer(
            response: response,
            kind: occasions.kind,
            explanation: answer.explanation,
            broken: occasions.broken,
            occasions: occasions.found,
            notices: requests
        )
    }

    /// What faults are told; counts the ID tokens that they are told of.
    private mutating func faultContext(of request: RecordedRequest, _ answer: BuiltAnswer) -> FaultContext {
        let role = dialect.role(of: request.url)
        let isToken = role == .token
        let grant = isToken ? request.sentForm.first("grant_type") : nil
        let query = isToken ? request.url.queryItems.first("grant_type") : nil
        return FaultContext(
            role: role,
            isMetadata: dialect.isMetadata(request.url),
            grantType: grant ?? query,
            now: now,
            issuedIDTokens: answer.hasIDToken ? state.counts.count(.idToken) : state.counts[.idToken],
            namedAlgorithms: Set(
                dialect.metadata.members?["id_token_signing_alg_values_supported"]?.array?.compactMap(
                    \.string
                )
                    ?? []
            ),
            privateMembers: role == .keys ? privateMembers : [:]
        )
    }

    private var privateMembers: [String: String] {
        let keys = configuration.keys.compactMap { entry in
            entry.key.privateParts.first { $0.name == "d" }.map { (entry.id, Base64URL.encode($0.bytes)) }
        }
        return Dictionary(keys) { first, _ in first }
    }

    private mutating func answer(to request: RecordedRequest) -> BuiltAnswer {
        askedEndpoint = dialect.endpoint(at: request.url)?.target
        if request.method == "OPTIONS" { return OriginPermissions.preflight(request) }
        let documents = PublishedDocuments(context)
        if let document = documents.document(for: request) { return document }
        if let role = dialect.role(of: request.url) {
            if let recorded = recordedOutcome(of: role, request) { return recorded }
            if let answer = answer(as: role, request) { return answer }
        }
        if request.url.path == dialect.verificationPath { return verifyDevice(request) }
        if let answer = assertIdentity(request) { return answer }
        if let answer = callResource(request) { return answer }
        if let answer = interact(request) { return answer }
        return documents.asset(for: request) ?? documents.nothing(at: request)
    }

    private mutating func answer(as role: Endpoints.Role, _ request: RecordedRequest) -> BuiltAnswer? {
        let query = request.url.queryItems
        if !readsBody(of: request, at: role) { return refuseBody(at: role) }
        let form = request.sentForm
        // RFC 9110, section 9.3.2: the same without a body; but it spends no code.
        let isReadAsGet = request.method == "HEAD" && role != .token
        switch (isReadAsGet ? "GET" : request.method, role) {
        case ("GET", .keys): return PublishedDocuments(context).keySet
        case ("GET", .authorization): return authorize(query, request)
        case ("POST", .authorization):
            return authorize(QueryItems(items: query.items + form.items), request)
        case ("POST", .token): return token(form, request)
        // GitHub and Facebook, and clients that put a form into the query.
        case ("GET", .token)
        where !dialect.strictness.takesTokenRequestsByPostOnly
            && (query.contains("grant_type") || query.contains("code")):
            return token(query, request)
        case ("GET", .userInfo), ("POST", .userInfo): return userInfo(request)
        case ("POST", .revocation): return revoke(form, request)
        case ("POST", .introspection): return introspect(form, request)
        case ("GET", .endSession): return endSession(query, request)
        case ("POST", .endSession): return endSession(form, request)
        case ("POST", .pushedRequest): return pushRequest(form, request)
        case ("POST", .deviceAuthorization): return authorizeDevice(form, request)
        case ("POST", .backchannelAuthentication): return authenticateElsewhere(form, request)
        case ("POST", .registration): return register(request)
        case ("GET", .registration), ("PUT", .registration), ("DELETE", .registration):
            return manageRegistration(request)
        default: return nil
        }
    }

    /// Whether the provider finds parameters in a body, or needs none there.
    private func readsBody(of request: RecordedRequest, at role: Endpoints.Role) -> Bool {
        guard ProviderDialect.readersOfForms.contains(role), request.method == "POST",
            !dialect.tolerances.takesJSON,
            let bytes = request.body?.bytes, !bytes.isEmpty
        else { return true }
        return FormBody.items(of: request.body) != nil
    }

    private func refuseBody(at role: Endpoints.Role) -> BuiltAnswer {
        let words = "parameters are read from a body of \(FormBody.mediaType), and from no other"
        return refuse(.bodyNotForm, at: role, words)
    }

    // MARK: - Refusing

    /// The answer of an endpoint that speaks JSON.
    ///
    /// `explanation`: for whoever runs the provider, where more is known than the answer says.
    func refuse(
        _ refusal: Refusal,
        at role: Endpoints.Role,
        headers: [(String, String)] = [],
        _ explanation: String? = nil
    ) -> BuiltAnswer {
        dialect.refusals.answer(refusing: refusal, at: role, headers: headers, explanation)
    }

    /// As recorded: the n-th call of an endpoint that was refused is refused again.
    private mutating func recordedOutcome(of role: Endpoints.Role, _ request: RecordedRequest) -> BuiltAnswer?
    {
        guard policy.isAsRecorded, let outcomes = dialect.recordedOutcomes[role] else { return nil }
        // The pages of the authorization endpoint are played as a script.
        guard role != .authorization else { return nil }
        let number = state.counts.count(.endpoint(role))
        guard number < outcomes.count, let template = outcomes[number] else { return nil }
        return BuiltAnswer(like: template, role: role)
    }
}
