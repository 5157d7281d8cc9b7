import Captures
import Flows
import JOSE
import JSON
import OAuth

/// The users of a recording: their names and passwords from the sign-in pages, their claims from tokens and userinfo.
struct UserFinder {
    struct Users {
        var list: [ProviderConfiguration.User]
        /// `sub` by flow, by the id of the flow in its capture.
        var subjects: [FlowKey: String]
    }

    /// A flow among those of several captures.
    struct FlowKey: Hashable {
        private let capture: ObjectIdentifier
        private let id: String

        init(_ flow: Flow) {
            capture = ObjectIdentifier(flow.surroundings)
            id = flow.id
        }
    }

    private let issuer: RecordedIssuer
    private let passwordFields: PasswordFields

    init(_ issuer: RecordedIssuer, passwordFields: PasswordFields) {
        self.issuer = issuer
        self.passwordFields = passwordFields
    }

    func users(_ options: RecordedProviderOptions, _ remarks: inout [String]) -> Users {
        var list: [ProviderConfiguration.User] = []
        var subjects: [FlowKey: String] = [:]
        for flow in issuer.flows where !flow.messages.isEmpty {
            let claims = Self.claims(of: flow)
            let credentials = credentials(in: flow)
            guard let subject = claims["sub"]?.string ?? credentials?.user else { continue }
            subjects[FlowKey(flow)] = subject
            // A client that acts for itself is the subject of its token, and nobody who signs in.
            if flow.grant == "client_credentials", credentials == nil { continue }
            if let index = list.firstIndex(where: { $0.subject == subject }) {
                Self.add(claims, credentials, to: &list[index])
            } else {
                list.append(Self.user(subject, claims, credentials))
            }
        }
        Self.unite(&list, &subjects)
        for user in list where user.acceptsAnyPassword {
            remarks.append("the password of \(user.name) is not in the capture: any is taken")
        }
        if list.isEmpty {
            list.append(Self.anybody)
            if options.users.isEmpty {
                remarks.append("the capture shows nobody who signs in: any name and password will do")
            }
        }
        for (name, password) in options.users { Self.add(name, password, to: &list) }
        for claim in options.claims { claim.give(to: &list) }
        return Users(list: list, subjects: subjects)
    }

    /// Makes one of somebody who is known by name alone, whom nobody let in, and the user of that name.
    private static func unite(
        _ list: inout [ProviderConfiguration.User],
        _ subjects: inout [FlowKey: String]
    ) {
        for user in list where user.claims["sub"] == nil {
            let same = list.firstIndex { other in
                other.claims["sub"] != nil && [other.name, other.email].contains(user.name)
            }
            guard let same else { continue }
            if list[same].acceptsAnyPassword, !user.acceptsAnyPassword {
                list[same].password = user.password
                list[same].acceptsAnyPassword = false
            }
            for (flow, subject) in subjects where subject == user.subject {
                subjects[flow] = list[same].subject
            }
            list.removeAll { $0.claims["sub"] == nil && $0.subject == user.subject }
        }
    }

    /// A user as a flow shows one.
    private static func user(_ subject: String, _ claims: JSONObject, _ credentials: SignInCredentials?)
        -> ProviderConfiguration.User
    {
        var user = ProviderConfiguration.User(
            name: claims["preferred_username"]?.string ?? claims["email"]?.string ?? subject,
            password: "",
            subject: subject,
            fullName: claims["name"]?.string ?? "",
            email: claims["email"]?.string ?? ""
        )
        user.acceptsAnyPassword = true
        user.claims = claims
        if let credentials { apply(credentials, to: &user) }
        return user
    }

    /// Adds what a further flow shows of a user.
    private static func add(
        _ claims: JSONObject,
        _ credentials: SignInCredentials?,
        to user: inout ProviderConfiguration.User
    ) {
        for member in claims.members where user.claims[member.name] == nil {
            user.claims[member.name] = member.value
        }
        if let credentials, user.acceptsAnyPassword { apply(credentials, to: &user) }
    }

    /// Whoever signs in where the recording shows nobody.
    private static var anybody: ProviderConfiguration.User {
        var user = ProviderConfiguration.User(
            name: "user",
            password: "",
            subject: "user",
            fullName: "",
            email: ""
        )
        user.acceptsAnyPassword = true
        return user
    }

    private static func apply(_ credentials: SignInCredentials, to user: inout ProviderConfiguration.User) {
        if let name = credentials.user { user.name = name }
        guard let password = credentials.password, !password.isEmpty, !Placeholder.isOne(password) else {
            return
        }
        user.password = password
        user.acceptsAnyPassword = false
    }

    /// A user of one's own: like the first recorded one, with another name.
    private static func add(_ name: String, _ password: String, to list: inout [ProviderConfiguration.User]) {
        if let index = list.firstIndex(where: { $0.name == name }) {
            list[index].password = password
            list[index].acceptsAnyPassword = false
            list[index].isPasswordGiven = true
            return
        }
        var user = ProviderConfiguration.User(
            name: name,
            password: password,
            subject: name,
            fullName: name,
            email: name.utf8.contains(0x40) ? name : ""
        )
        user.isPasswordGiven = true
        for claim in ["name", "preferred_username", "nickname", "given_name"] {
            user.claims[claim] = .string(name)
        }
        user.claims["email"] = .string(user.email.isEmpty ? "\(name)@mail.example" : user.email)
        list.append(user)
    }

    // MARK: - Where it is said

    /// What the flow says of its user: the first word on each claim counts.
    private static func claims(of flow: Flow) -> JSONObject {
        sources(of: flow).flatMap(\.members).reduce(into: JSONObject()) { claims, member in
            if claims[member.name] == nil { claims[member.name] = member.value }
        }
    }

    /// What ID tokens, userinfo and signed access tokens say, without what belongs to the token.
    private static func sources(of flow: Flow) -> [JSONObject] {
        var sources = flow.idTokens.compactMap(\.token.token.claims)
        for case .userInfo(let call) in flow.messages where call.answer.isSuccess {
            if let json = call.answer.json { sources.append(json) }
            let text = flow.capture[call.exchange].response?.body?.text
            if let claims = text.flatMap(JSONWebToken.parse)?.claims { sources.append(claims) }
        }
        for request in flow.tokenRequests {
            guard let claims = request.accessToken.flatMap(JSONWebToken.parse)?.claims,
                let subject = claims["sub"]
            else { continue }
            sources.append(["sub": subject])
        }
        for case .introspection(let call) in flow.messages {
            guard let json = call.answer.json, json["active"]?.bool == true, let subject = json["sub"] else {
                continue
            }
            sources.append(["sub": subject])
        }
        return sources.map { source in
            JSONObject(source.members.filter { !ownOfToken.contains($0.name) && $0.value != .null })
        }
    }

    private static let ownOfToken: Set<String> = [
        "iss", "aud", "exp", "iat", "nbf", "auth_time", "nonce", "at_hash", "c_hash", "s_hash", "azp", "jti",
        "sid",
        "acr", "amr", "scope", "scp", "client_id", "cnf", "typ", "session_state", "uti", "rh", "aio",
    ]

    /// The last ones that were sent between the authorization request and its answer, or, where the sign-in was not
    /// part of a flow, to the provider at all.
    private func credentials(in flow: Flow) -> SignInCredentials? {
        let index = flow.surroundings
        var found: SignInCredentials?
        let own = flow.exchanges.isEmpty ? index.order : flow.exchanges
        let isLetIn =
            !flow.authorizationResponses.isEmpty || flow.tokenRequests.contains { $0.answer.isSuccess }
        for exchange in own { take(index.capture[exchange], &found, isLetIn: isLetIn) }
        if found?.password != nil || !flow.authorizationRequests.isEmpty && found != nil { return found }
        for exchange in index.order where index.messages[exchange] == nil {
            take(index.capture[exchange], &found, isLetIn: isLetIn)
        }
        return found
    }

    /// `isLetIn`: whether the login came to its end; where it did not, a password that the page asks for once more is none.
    private func take(_ exchange: Exchange, _ found: inout SignInCredentials?, isLetIn: Bool) {
        guard let origin = AddressMap.origin(of: exchange.request.url), issuer.origins.contains(origin),
            (exchange.response?.status ?? 500) < 400,
            let sent = SignInCredentials(of: exchange.request, fields: passwordFields)
        else { return }
        let fields = Set(FormBody.items(of: exchange.request.body)?.items.map(\.name) ?? [])
        let isRefused = !isLetIn && exchange.response?.asksForPasswordAgain(fields) ?? false
        let password = isRefused ? nil : sent.password
        guard password != nil || found == nil else { return }
        found = SignInCredentials(user: sent.user ?? found?.user, password: password ?? found?.password)
    }
}
