import Captures
import Flows
import JOSE
import JSON
import OAuth

/// Makes the requests of a run out of the recorded ones: same headers in the same order, same parameters, with
/// the values of this run.
struct RequestComposer {
    let plan: ReplayPlan
    let map: EndpointMap
    let credentials: ReplayCredentials
    let overrides: [String: String]
    let random: @Sendable (Int) -> [UInt8]
    var values: RunValues
    var proofs: ProofMaker
    /// The exchanges whose request this run signed a recorded token anew for, by that token.
    private var signedFor: [String: Int] = [:]
    /// The latest `DPoP-Nonce` of each origin of this run (RFC 9449, section 8).
    var proofNonces: [String: String] = [:]

    init(
        plan: ReplayPlan,
        map: EndpointMap,
        credentials: ReplayCredentials,
        overrides: [String: String],
        random: @escaping @Sendable (Int) -> [UInt8],
        values: RunValues
    ) {
        self.plan = plan
        self.map = map
        self.credentials = credentials
        self.overrides = overrides
        self.random = random
        self.values = values
        proofs = ProofMaker(credentials: credentials, random: random)
        for issuer in map.issuers { self.values.bind(issuer.old, to: issuer.new) }
    }

    var capture: Capture { plan.flow.capture }

    /// The server asked for a nonce that the recorded proof has not.
    var usesNonce = false

    /// From now on proofs carry the server's nonce, whether the recorded ones did or not.
    mutating func useProofNonce() { usesNonce = true }

    /// Notes what an answer says for the requests that follow.
    mutating func noteAnswer(_ response: RecordedResponse, from url: RecordedURL) {
        if let nonce = response.headers.first("dpop-nonce"), let origin = url.origin {
            proofNonces[origin] = nonce
        }
    }

    // MARK: - A request

    /// The request of a step that is made of the recorded one.
    ///
    /// Without a `Cookie` header: cookies are the browser's affair.
    mutating func request(for step: PlannedStep, at now: Timestamp) throws(StepFailure) -> RecordedRequest {
        let recorded = step.request
        let replacements = try replacements(for: step, at: now)
        let url = url(of: recorded, step, replacements)
        var request = RecordedRequest(method: recorded.method, url: url)
        request.isURLLatin1 = recorded.isURLLatin1
        request.body = body(of: recorded, step, replacements)
        request.headers = try headers(of: recorded, step, replacements, url, at: now)
        return request
    }

    /// The fields of a form as this run sends them: of the live form what the page gives, the rest as recorded.
    mutating func fields(of form: HTMLForm, for step: PlannedStep, at now: Timestamp) throws(StepFailure)
        -> [(
            String, String
        )]
    {
        // Whatever stands in the live page was issued by it.
        let hidden = Set(form.fields.filter { $0.type == "hidden" && !$0.value.isEmpty }.map(\.name))
        let replaced = replacedFields(of: form, for: step)
        let replacements = try replacements(for: step, givenByPage: hidden.union(replaced), at: now)
        let recorded = step.request
        let items =
            (recorded.method == "POST" ? FormBody.items(of: recorded.body) : recorded.url.queryItems)?.items
            ?? []
        let sources = Dictionary(
            step.parameters.map { ($0.name, $0.source) },
            uniquingKeysWith: { first, _ in first }
        )
        var live = form.fields
        var result: [(String, String)] = []
        for item in items where !replaced.contains(item.name) {
            let index = live.firstIndex { $0.name == item.name && !["submit", "button"].contains($0.type) }
            let field = index.map { live.remove(at: $0) }
            if let field, sources[item.name] == .form || isUnknown(sources[item.name], item.value) {
                result.append((item.name, field.value))
            } else {
                result.append((item.name, replacements.value(of: item.name, item.value)))
            }
        }
        // What the page has that the recorded one had not.
        let names = Set(items.map(\.name))
        for field in live where field.type == "hidden" && !names.contains(field.name) {
            result.append((field.name, field.value))
        }
        return result
    }

    /// Hidden fields of the recorded page that the live form has not, where it has others in their place: its token against forgery may be
    /// called otherwise today.
    private func replacedFields(of form: HTMLForm, for step: PlannedStep) -> Set<String> {
        guard case .submit(let source) = step.action, let page = Page(capture[source]) else { return [] }
        let recorded = Set(page.forms.flatMap(\.fields).filter { $0.type == "hidden" }.map(\.name))
        let hasOthers = form.fields.contains {
            $0.type == "hidden" && !$0.value.isEmpty && !recorded.contains($0.name)
        }
        return hasOthers ? recorded.subtracting(form.fields.map(\.name)) : []
    }

    /// Whether a value was issued in the recording, and nothing of this run has taken its place.
    private func isUnknown(_ source: ValueSource?, _ recorded: String) -> Bool {
        guard case .issued? = source else { return false }
        return values[recorded] == nil
    }

    // MARK: - Values

    /// The values of one request.
    struct Replacements {
        var secrets: [String: String]
        var overrides: [String: String]
        var values: RunValues
        var map: EndpointMap

        /// Of a parameter, with its recorded value.
        func value(of name: String, _ recorded: String) -> String {
            if let value = overrides[name] ?? secrets[name] { return value }
            return text(recorded, named: name)
        }

        /// Of a text that is no parameter, or whose name does not matter.
        func text(_ recorded: String, named name: String? = nil) -> String {
            let replaced = values.replacing(in: recorded)
            guard replaced == recorded, name.map(Self.isMapped) ?? true else { return replaced }
            return map.mapped(value: recorded)
        }

        /// Whether a parameter or claim of this name moves with the provider.
        static func isMapped(_ name: String) -> Bool { !unmappedNames.contains(name) }

        /// Addresses of the client do not move with the provider, and scopes that look like one are none.
        private static let unmappedNames: Set<String> = ["redirect_uri", "post_logout_redirect_uri", "scope"]
    }

    /// `givenByPage`: names of what the page that is sent from holds.
    private mutating func replacements(
        for step: PlannedStep,
        givenByPage: Set<String> = [],
        at now: Timestamp
    ) throws(StepFailure) -> Replacements {
        var secrets: [String: String] = [:]
        for parameter in step.parameters {
            switch parameter.source {
            case .literal:
                guard let given = credentials.values[SecretNames.username], plan.namesUser(parameter) else {
                    continue
                }
                secrets[parameter.name] = given
            case .form: continue
            case .issued(let place):
                guard values[parameter.value] != nil || givenByPage.contains(parameter.name) else {
                    throw .notIssued(name: parameter.name, by: place.exchange ?? 0)
                }
            case .secret(let name, let isRecorded):
                if let given = credentials.values[name] {
                    secrets[parameter.name] = given
                } else if !isRecorded {
                    throw .secretMissing(name)
                }
            case .generated(let kind):
                try generate(kind, parameter, step, at: now)
            }
        }
        return Replacements(secrets: secrets, overrides: overrides(for: step), values: values, map: map)
    }

    private mutating func generate(
        _ kind: GeneratedValue,
        _ parameter: PlannedParameter,
        _ step: PlannedStep,
        at now: Timestamp
    ) throws(StepFailure) {
        let recorded = parameter.value
        guard kind == .dpopProof || values[recorded] == nil || isSpent(recorded, kind, step) else { return }
        switch kind {
        case .state, .nonce, .codeVerifier:
            values.bind(recorded, to: FreshValue.scrambled(recorded, random))
        case .codeChallenge:
            guard let planned = plan.challenges.first(where: { $0.challenge == recorded }) else { return }
            bindChallenge(planned)
        case .clientAssertion, .grantAssertion, .requestObject:
            guard let token = JSONWebToken.parse(recorded),
                kind != .grantAssertion || credentials.clientKey != nil || isSymmetric(token)
            else { return }
            try generateClaimedValues(of: token)
            try bindProofKey(of: token)
            let bound = values
            let map = map
            let given = givenClaims(of: token, kind, step)
            let made = try proofs.signed(
                token,
                name: parameter.name,
                recordedAt: capture[step.exchange].startedAt,
                now: now,
                secret: clientSecret,
                saying: given,
                replacing: { text, name in
                    if let live = bound[text] { return live }
                    let replaced = bound.replacing(in: text)
                    return Replacements.isMapped(name) ? map.mapped(value: replaced) : replaced
                }
            )
            values.bind(recorded, to: made)
            signedFor[recorded] = step.exchange
        case .dpopThumbprint:
            let thumbprint = try proofs.thumbprint(for: proofAlgorithm)
            values.bind(recorded, to: thumbprint)
        case .dpopProof: break
        }
    }

    /// A challenge of a new verifier.
    ///
    /// Where no verifier is known, one that cannot be a hash (RFC 7636, section 4.2) is made anew in its shape: its client makes it so again.
    private mutating func bindChallenge(_ planned: PlannedChallenge) {
        guard planned.verifier != nil || planned.isHash else {
            return values.bind(planned.challenge, to: FreshValue.scrambled(planned.challenge, random))
        }
        let model = planned.verifier ?? String(repeating: "aA0", count: 15).dropLast(2).description
        let verifier = FreshValue.scrambled(model, random)
        if let old = planned.verifier { values.bind(old, to: verifier) }
        values.bind(planned.challenge, to: planned.making.make(verifier))
    }

    /// What a client's token says otherwise in this run, by claim: a request object has the parameters of the request (RFC
    /// 9101, section 4), and each names its client.
    ///
    /// Empty where a claim is to be left out.
    private func givenClaims(of token: JSONWebToken, _ kind: GeneratedValue, _ step: PlannedStep)
        -> [String: String]
    {
        let wanted = overrides(for: step)
        var claims = kind == .requestObject ? wanted : [:]
        guard let client = wanted["client_id"], !client.isEmpty, let recorded = plan.flow.clientID else {
            return claims
        }
        for name in ["iss", "sub", "client_id"]
        where token.claim(name)?.string.map({ $0.equalsBytes(of: recorded) }) ?? false {
            claims[name] = client
        }
        return claims
    }

    /// Whether a token was signed for the same request, which is sent once more: a poll, or a proof with the server's nonce.
    ///
    /// It is good for one (RFC 7523, section 3). One that the recorded client sent with two requests goes with both again.
    private func isSpent(_ recorded: String, _ kind: GeneratedValue, _ step: PlannedStep) -> Bool {
        kind.isSignedClaims && signedFor[recorded] == step.exchange
    }

    /// What a request object carries is made anew like the parameters of a plain request.
    private mutating func generateClaimedValues(of token: JSONWebToken) throws(StepFailure) {
        for name in ["state", "nonce", "code_challenge"] {
            guard let value = token.claim(name)?.string, values[value] == nil else { continue }
            if name == "code_challenge", let planned = plan.challenges.first(where: { $0.challenge == value })
            {
                bindChallenge(planned)
            } else if let fresh = FreshValue.fresh(like: value, random: random) {
                values.bind(value, to: fresh)
            }
        }
    }

    /// What a token names as the key of the client's proofs is the key of this run's, in an assertion (`cnf`, RFC 7800,
    /// section 3.1) as well as in a request object (`dpop_jkt`, RFC 9449, section 10).
    ///
    /// A key of which the recording has no proof stays: that was a mistake then, and is one again.
    private mutating func bindProofKey(of token: JSONWebToken) throws(StepFailure) {
        let named = [token.claim("cnf")?["jkt"], token.claim("dpop_jkt")].compactMap { $0?.string }
        for thumbprint in named
        where recordedProofs.contains(where: { $0.thumbprint == thumbprint }) {
            values.bind(thumbprint, to: try proofs.thumbprint(for: proofAlgorithm))
        }
    }

    private var recordedProofs: [DPoPProof] {
        plan.steps.compactMap { DPoPProof(of: $0.request, exchange: $0.exchange) }
    }

    private var proofAlgorithm: SignatureAlgorithm {
        recordedProofs.lazy.compactMap { $0.token.algorithm.flatMap(SignatureAlgorithm.init(rawValue:)) }
            .first
            ?? .es256
    }

    /// The client's secret in this run, where it is known.
    var clientSecret: String? {
        if let given = credentials.values[SecretNames.clientSecret] { return given }
        guard let client = plan.flow.clientID, let recorded = plan.flow.surroundings.knownSecrets[client]
        else {
            return nil
        }
        return values[recorded] ?? recorded
    }

    /// Whether the client's secret is its key: the plan has made sure that the recorded one was made so.
    private func isSymmetric(_ token: JSONWebToken) -> Bool {
        token.algorithm.flatMap(SignatureAlgorithm.init(rawValue:))?.isSymmetric ?? false
    }

    /// Those for a step: `scope` for every step, `token_request.scope` for one kind.
    private func overrides(for step: PlannedStep) -> [String: String] {
        var result: [String: String] = [:]
        for (name, value) in overrides {
            guard let dot = name.utf8.firstIndex(of: 0x2e) else {
                if result[name] == nil { result[name] = value }
                continue
            }
            guard String(name[..<dot]) == step.kind?.rawValue else { continue }
            result[String(name[name.utf8.index(after: dot)...])] = value
        }
        return result
    }
}
