import Captures
import Flows
import JOSE
import JSON
import OAuth

/// What the request of a step says.
struct RequestFacts {
    private let context: ReadingContext
    private let step: ComparedStep
    private var list = FactList()

    var facts: [Fact] { list.facts }

    init(context: ReadingContext, step: ComparedStep) {
        self.context = context
        self.step = step
        if step.isSeenInRedirect {
            addResponseParameters()
            return
        }
        if step.kind == .authorizationResponse {
            addResponseParameters()
        } else {
            addAddress()
            addParameters()
        }
        addAuthentication()
        addProof()
        addContentType()
        addCookies()
        addStart()
    }

    private var request: RecordedRequest { step.exchange.request }

    private var endpoint: RecordedURL? { step.message?.endpoint }

    /// Whether it goes to a client's own address, which is the provider's word as a whole (RFC 7592, section 3).
    private var isOfClient: Bool { step.kind.isOfRegistration && step.kind != .clientRegistration }

    private func place(_ part: Place.Part, _ name: String) -> Place {
        Place(exchange: step.index, part: part, name: name)
    }

    // MARK: - Where it goes

    /// What the app answers where the login begins: a redirect that is no step of its own, and the cookies by which the
    /// app will know the user again.
    private mutating func addStart() {
        guard step.kind == .authorizationRequest,
            let source = context.flow.surroundings.redirectedFrom[step.index],
            context.flow.exchanges.contains(source), !context.told.contains(source),
            !context.leftOut.contains(source), let response = context.flow.capture[source].response
        else { return }
        CookieFacts.add(response.setCookies, of: source, context: context, to: &list)
    }

    private mutating func addAddress() {
        list.add(place(.requestURL, "method"), .init(request.method, .verdict))
        list.add(
            place(.requestURL, ""),
            .init(endpoint?.text ?? request.url.withoutQuery, isOfClient ? .volatile : .url)
        )
    }

    // MARK: - Parameters

    private mutating func addParameters() {
        if let json = jsonBody {
            let isOfPage = step.kind == .userInteraction
            let facts = MemberFacts(part: .requestBody, exchange: step.index)
            for member in json.members.prefix(100) {
                facts.add(
                    member.value,
                    called: member.name,
                    isSecret: isOfPage && isTyped(member.name),
                    to: &list
                )
            }
            return
        }
        // Of metadata the parameters are those of the answer, and what is part of an endpoint's URL is compared with that.
        let own = endpoint?.queryItems.items ?? []
        for parameter in step.step.parameters.items
        where !(isOfClient && [.requestURL, .requestQuery].contains(parameter.place.part))
            && parameter.place.exchange == step.index && parameter.place.part != .responseBody
            && !own.contains(where: { $0.name == parameter.name && $0.value == parameter.value })
        {
            add(parameter, in: parameter.place.part == .jwtClaims ? .jwtClaims : .requestBody)
        }
    }

    private var jsonBody: JSONObject? {
        JSONBody.object(of: request.body, below: 1 << 16)
    }

    /// Of a response to the app: query, fragment and form are three ways for the same parameters.
    private mutating func addResponseParameters() {
        guard case .authorizationResponse(let response) = step.message else { return addParameters() }
        let part: Place.Part = step.isSeenInRedirect ? .responseLocation : .requestURL
        let isAsserted =
            response.mode == .credential && response.deliveredBy != nil && step.isSeenInRedirect
        let target = isAsserted ? response.target.origin : nil
        list.add(
            place(part, ""),
            .init(target ?? response.target.text, .url),
            as: .init(name: Self.targetName, part: .requestURL)
        )
        list.add(
            place(part, ""),
            .init(response.mode.rawValue, .verdict),
            as: .init(aspect: "response_mode", part: .requestURL)
        )
        let items = isAsserted ? asserted(of: response) : response.parameters.items
        // What went wrong is said first.
        for parameter in items.filter({ $0.name == "error" }) + items.filter({ $0.name != "error" }) {
            add(parameter, in: .requestQuery)
        }
    }

    /// What the provider says to the browser in place of a redirect (FedCM, "Identity assertion endpoint"), whatever the app calls it where it
    /// sends that on, and to which of its addresses.
    private func asserted(of response: AuthorizationResponse) -> [Parameter] {
        response.parameters.items.filter { Self.assertedNames.contains($0.name) }.map { parameter in
            Parameter(
                name: parameter.name,
                value: parameter.value,
                place: Place(exchange: response.deliveredBy, part: .responseBody, name: parameter.name)
            )
        }
    }

    private static let assertedNames: Set<String> = ["id_token", "error", "error_uri"]

    /// Where an authorization response goes: the redirect URI without its query.
    static let targetName = "target"

    /// One parameter; the part of the request that carries it is a fact of its own.
    private mutating func add(_ parameter: Parameter, in part: Place.Part) {
        let name = parameter.name
        if step.kind == .userInteraction, NestedURL.add(parameter, in: part, to: &list) { return }
        let isSecret = isTyped(name)
        let treatment = VolatileNames.treatment(of: name)
        list.add(
            parameter.place,
            .init(
                parameter.value,
                treatment,
                elements: treatment == .set ? parameter.value.spaceDelimited : [],
                isSecret: isSecret
            ),
            as: .init(part: part),
            weighing: .init(
                presence: treatment == .remark ? .note : .difference,
                value: treatment == .remark ? .note : .difference
            )
        )
        if part == .requestBody, step.kind != .userInteraction {
            list.add(
                parameter.place,
                .init(parameter.place.part == .requestQuery ? "in the query" : "in the body", .verdict),
                as: .init(aspect: "place", part: part),
                weighing: .valueAlone
            )
        }
        if name == "code_verifier" { addRelation(of: parameter) }
        // A token that comes back was told where it was issued.
        if name != "id_token_hint", name != "token", let token = JSONWebToken.parse(parameter.value) {
            TokenFacts(step: step, place: parameter.place, name: name).add(token, to: &list)
        }
    }

    /// How the challenge that the code was asked for with was made of the verifier (RFC 7636, section 4.6).
    private mutating func addRelation(of verifier: Parameter) {
        let code = step.step.parameters["code"]
        let login =
            context.flow.logins.first { $0.response?.code != nil && $0.response?.code == code }?.request
            ?? context.latest(before: step.index) { message in
                if case .authorizationRequest(let request) = message { request } else { nil }
            }
        guard let challenge = login?.codeChallenge else { return }
        let relation = CodeChallenge.relation(of: challenge, to: verifier.value)
        list.add(
            verifier.place,
            .init(
                relation.map { Self.name(of: $0, challenge, login?.parameters["code_challenge_method"]) }
                    ?? "does not fit",
                .verdict
            ),
            as: .init(aspect: "against code_challenge", part: .requestBody),
            weighing: .valueAlone
        )
    }

    /// `method`: as it was asked for; providers differ in what none means, so that either way fits then.
    private static func name(of relation: ChallengeRelation, _ challenge: String, _ method: String?)
        -> String
    {
        switch relation {
        case .s256 where method != "plain": return "fits by S256"
        case .plain where method != "S256": return "fits by plain"
        case .trimmed: return "does not fit: another spelling of it does"
        case .letterCase: return "does not fit: upper and lower case differ"
        case .quoted: return "does not fit: without its quotation marks it does"
        case .truncated: return "does not fit: the challenge is too short or too long"
        default:
            let padding = relation.kind == .base64 && challenge.utf8.last == 0x3d ? ", with padding" : ""
            return "does not fit: made as \(relation.kind.rawValue)\(padding)"
        }
    }

    // MARK: - Headers

    private mutating func addAuthentication() {
        let header = request.headers.first("authorization")
        if let authentication = step.authentication {
            list.add(
                place(.requestHeader, "Authorization"),
                .init(authentication.methods.map(\.rawValue).joined(separator: ", "), .verdict),
                as: .init(aspect: "client authentication")
            )
            // Basic credentials are the same parameters at another place.
            for parameter in [authentication.clientID, authentication.secret].compactMap({ $0 })
            where parameter.place.part == .requestHeader {
                list.add(
                    Place(exchange: step.index, part: .requestHeader, name: "Authorization"),
                    .init(parameter.value, .value, isSecret: parameter.name == "client_secret"),
                    as: .init(name: parameter.name, part: .requestBody)
                )
            }
            if authentication.methods.contains(.secretBasic) { return }
        }
        guard let header else { return }
        let scheme = header.utf8.prefix { $0 != 0x20 }
        list.add(
            place(.requestHeader, "Authorization"),
            .init(String(Substring(scheme)).lowercased(), .verdict),
            as: .init(aspect: "scheme"),
            weighing: .valueAlone
        )
        if let token = BearerToken.of(request, exchange: step.index) {
            list.add(
                token.place,
                .init(token.value, .volatile, isSecret: true),
                as: .init(name: "access_token")
            )
        }
    }

    private mutating func addProof() {
        guard let text = request.headers.first("dpop") else { return }
        let place = place(.requestHeader, "DPoP")
        list.add(place, .init(JSONWebToken.parse(text) == nil ? "no token" : "a proof", .verdict))
        guard let proof = DPoPProof(of: request, exchange: step.index) else { return }
        TokenFacts(step: step, place: place, name: "DPoP").add(proof, to: &list)
    }

    private mutating func addContentType() {
        // What brings a response to the app is told by its mode.
        guard step.kind != .authorizationResponse, let body = request.body, let essence = body.essence,
            !essence.isEmpty, body.size.map({ $0 > 0 }) ?? true
        else { return }
        list.add(place(.requestHeader, "Content-Type"), .init(essence, .verdict))
    }

    private mutating func addCookies() {
        // An app's server has none, and a browser's answer to a page may have any.
        let counts = step.kind == .authorizationResponse || step.kind == .authorizationRequest
        guard counts || step.kind == .userInteraction || step.kind == .endSessionRequest else { return }
        var seen: Set<String> = []
        for cookie in request.cookies.prefix(100) where !context.isLeftOut(cookie: cookie.name) {
            let name = context.learned.skeleton(of: CookieFacts.baseName(cookie.name))
            guard seen.insert(name).inserted else { continue }
            // Set in this very login, so another login will have set it as well.
            let isOfLogin = context.wasSet(cookie.name, before: step.index)
            list.add(
                Place(exchange: step.index, part: .requestCookie, name: cookie.name),
                .init(isOfLogin ? "set in this login" : "from before", .presence, isSecret: true),
                as: .init(name: name),
                weighing: .init(presence: counts && isOfLogin ? .difference : .note)
            )
        }
    }

    /// Whether people type it in, and keep it secret.
    private func isTyped(_ name: String) -> Bool {
        if context.passwordFields.contains(name) { return true }
        guard step.kind == .userInteraction else { return false }
        let name = name.lowercased()
        return ["pass", "pin", "otp", "secret", "answer", "pwd", "totp"].contains(where: name.contains)
    }
}
