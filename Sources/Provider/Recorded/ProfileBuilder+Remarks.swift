import Captures
import Flows
import JOSE
import JSON
import OAuth

/// What a recording lacks, in sentences for whoever plays it.
extension ProfileBuilder {
    /// Recorders leave out large bodies, browsers what they had in their cache.
    mutating func tellOfMissingBodies() {
        var missing: [String] = []
        for index in issuer.captures {
            for exchange in index.capture.indices where index.messages[exchange] == nil {
                let recorded = index.capture[exchange]
                guard recorded.request.method == "GET", isOwn(recorded.request.url),
                    let response = recorded.response,
                    response.status == 200
                else { continue }
                let isWhole = (response.body?.isRecorded ?? false) && response.body?.isTruncated == false
                let isEmpty =
                    isWhole && response.body?.size == 0
                    && response.headers.first("content-length") ?? "0" != "0"
                if !isWhole || isEmpty { missing.append(recorded.request.url.path) }
            }
        }
        guard let first = missing.first else { return }
        let more = missing.count == 1 ? "" : " and \(missing.count - 1) more"
        remarks.append(
            "the capture holds no whole body of \(first)\(more): pages that need them will not work"
        )
    }

    /// Sign-in pages that are a script's work stand still for whoever drives them without a browser.
    mutating func tellOfScriptedPages(_ dialect: ProviderDialect) {
        guard options.autoLogin == nil else { return }
        let scripts = dialect.scripts.filter { $0.purpose == .login && $0.succeeds && !$0.answersAtOnce }
        guard let page = scripts.lazy.compactMap(\.scriptedPage).first else { return }
        remarks.append(
            "the page \(page.url.path) of its sign-in goes on by scripts: where they do not run, --auto-login "
                + "signs in without pages"
        )
    }

    mutating func tellOfEncryption(
        _ dialect: ProviderDialect,
        _ clients: [ProviderConfiguration.Client]
    ) {
        for form in dialect.tokens {
            guard case .signed(let template) = form.idToken else { continue }
            tellOfEncryption("ID tokens", template, clients.first { $0.id == form.clientID })
        }
        for form in dialect.userInfo {
            guard let template = form.token else { continue }
            tellOfEncryption("answers of userinfo", template, clients.first { $0.id == form.clientID })
        }
    }

    private mutating func tellOfEncryption(
        _ what: String,
        _ template: TokenTemplate,
        _ client: ProviderConfiguration.Client?
    ) {
        guard let header = template.envelope, let client else { return }
        let seal = TokenSeal(like: header, keys: client.keys, secret: client.secret)
        guard seal.sealed("", random: random) == nil else { return }
        let remark =
            "\(what) for \(client.id) were encrypted (\(header["alg"]?.string ?? "?")): they are signed only, "
            + "--client-key \(ShellWord.quoted(client.id))=FILE names the key"
        // Once, however many answers brought them.
        if !remarks.contains(remark) { remarks.append(remark) }
    }

    /// Clients that are told when the user has answered (OpenID Connect CIBA, section 10.2) wait for it.
    mutating func tellOfNotifications() {
        let areWanted = issuer.flows.flatMap(\.messages).contains { message in
            guard case .backchannelAuthentication(let call) = message else { return false }
            return call.parameters.contains("client_notification_token")
        }
        guard areWanted else { return }
        remarks.append(
            "a client wants to be told when its user has answered (CIBA's ping or push): nobody is told, and polls are answered"
        )
    }

    /// Clients that gave the address of their request object (RFC 9101, section 5.2): nobody is connected to.
    mutating func tellOfReferences() {
        let requests = issuer.flows.flatMap(\.authorizationRequests)
        guard
            requests.contains(where: { $0.parameters["request_uri"].map { RecordedURL($0).isWeb } ?? false })
        else { return }
        remarks.append(
            "a client gives the address of its request object (request_uri): it is not fetched, and the request is refused"
        )
    }

    /// Grants that clients were given tokens for and that are not played.
    mutating func tellOfGrants() {
        let asked = issuer.flows.flatMap(\.tokenRequests).filter(\.answer.isSuccess).map(\.grantType)
        var told: Set<String> = []
        for grant in asked
        where !grant.isEmpty && !ProviderEngine.playedGrants.contains(grant)
            && told.insert(grant).inserted
        {
            remarks.append(
                "the grant \(grant) is not played: the token endpoint answers unsupported_grant_type"
            )
        }
    }
}
