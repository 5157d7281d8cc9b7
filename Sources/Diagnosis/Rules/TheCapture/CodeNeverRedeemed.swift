import Captures
import Flows
import JSON
import OAuth

/// An app or a page got a code, the recording went on, and nobody ever used it.
///
/// Passing the code on to a back end counts as using it. A recorder inside the browser sees nothing of an app beside it, so that
/// there the rule speaks of pages only.
struct CodeNeverRedeemed: Rule {
    static let info = RuleInfo(
        id: "code-never-redeemed",
        title: "A code was issued but nobody exchanged it",
        severity: .warning,
        explanation: """
            The provider sent the user back with a code, and no later request carries it. The app did not get the redirect, or did not know \
            what to do with it.
            """,
        fix: """
            App: declare the scheme or the claimed address, keep the pending authorization session until it is answered, and hand the URL to \
            it (AppAuth: resumeExternalUserAgentFlow). Page: see that the state stored before the login is still there in this tab and \
            origin, and that the router does not drop the query.
            """,
        badExample: """
            302 Location: com.example.shop:/callback?code=…&state=…        and then nothing but other requests
            """,
        goodExample: """
            302 Location: com.example.shop:/callback?code=…&state=…
            POST /token  grant_type=authorization_code&code=…
            """,
        specifications: [.rfc(8252, "7")]
    )

    func verdict(on flow: Flow) -> Verdict {
        guard let response = flow.authorizationResponses.last(where: { $0.code != nil }),
            let delivery = CodeDelivery(response, in: flow),
            delivery.receiver == .app || delivery.receiver == .page
        else { return .holds }
        guard !flow.tokenRequests.contains(where: { isOf(delivery, $0, flow) }) else { return .holds }
        let position = flow.surroundings.position
        if flow.surroundings.tokenRequests.contains(where: {
            !$0.isRecorded && position[$0.exchange] > position[delivery.exchange]
        }) {
            return .abstains(Gap.tokenRequestBody)
        }
        if delivery.receiver == .app, BrowserRecorder.wrote(flow.capture),
            !flow.exchanges.contains(where: { isApp($0, flow) })
        {
            return .abstains("a browser's recorder does not see what the app beside it sends")
        }
        let rest = rest(after: delivery, flow)
        guard rest.seconds >= 30 || rest.hasExchange else { return .holds }
        guard let isPassedOn = delivery.isPassedOn(in: flow) else {
            return .abstains(
                "later requests are encrypted, were not saved whole, or went through a tunnel that was not opened"
            )
        }
        guard !isPassedOn else { return .holds }
        if hasUnseenToken(after: delivery, flow) || isLoggedOut(after: delivery, flow) {
            return .abstains("a token was used afterwards that came by a request outside of this capture")
        }
        let told = told(of: delivery, in: flow)
        return .violated(
            Violation(
                [
                    Evidence(delivery.code),
                    .computed(
                        "recorded after it",
                        "\(rest.seconds) s",
                        in: .timing,
                        note: rest.hasExchange ? "with other requests in it" : nil
                    ),
                ] + told.evidence,
                variant: delivery.receiver == .page ? "page" : "app",
                explanation: told.words?.explanation,
                fix: told.words?.fix,
                exchange: delivery.exchange
            )
        )
    }

    /// What the capture shows of why.
    private func told(of delivery: CodeDelivery, in flow: Flow) -> (
        evidence: [Evidence], words: Violation.Words?
    ) {
        guard delivery.receiver == .app else {
            let page = LeftCode(by: delivery, in: flow)
            return (page.evidence, Violation.Words(explanation: page.explanation, fix: page.fix))
        }
        if let overtaken = OvertakenLogin(by: delivery, in: flow) {
            return (
                [overtaken.evidence],
                Violation.Words(explanation: OvertakenLogin.explanation, fix: OvertakenLogin.fix)
            )
        }
        let scheme = UncaughtScheme(of: delivery, in: flow)
        return (scheme.map { [$0.evidence] } ?? [], scheme?.words)
    }

    /// Whether a token request is for this code, also where it was altered on the way.
    private func isOf(_ delivery: CodeDelivery, _ request: TokenRequest, _ flow: Flow) -> Bool {
        guard request.isCodeExchange else { return false }
        // By the clocks of two machines an exchange may seem to come before its code.
        if request.code == delivery.code.value { return true }
        let position = flow.surroundings.position
        return position[request.exchange] > position[delivery.exchange]
    }

    /// Whether the provider took a token behind it, at UserInfo or for a new one, that no answer of the capture brought.
    private func hasUnseenToken(after delivery: CodeDelivery, _ flow: Flow) -> Bool {
        let index = flow.surroundings
        let position = index.position[delivery.exchange]
        let unseen = index.unseenTokens
        if let refresh = flow.clientID.flatMap(unseen.refresh), index.position[refresh] > position {
            return true
        }
        return flow.exchanges.contains { exchange in
            guard case .userInfo = index.messages[exchange] else { return false }
            return index.position[exchange] > position && unseen.contains(exchange)
        }
    }

    /// Whether a logout behind it brings the ID token of this very login, by its `nonce`, which no answer of the capture brought.
    private func isLoggedOut(after delivery: CodeDelivery, _ flow: Flow) -> Bool {
        guard !flow.authorizationResponses.contains(where: { $0.parameter("id_token") != nil }) else {
            return false
        }
        let position = flow.surroundings.position
        let nonces = Set(flow.authorizationRequests.compactMap { $0.parameters["nonce"].map(ByteText.init) })
        return LogoutCall.all(in: flow).contains { logout in
            guard position[logout.call.exchange] > position[delivery.exchange],
                let nonce = logout.hint.flatMap({ IDToken($0) })?.nonce
            else { return false }
            return nonces.contains(ByteText(nonce))
        }
    }

    private func isApp(_ index: Int, _ flow: Flow) -> Bool {
        PublicAgent(of: flow.capture[index].request, at: index)?.kind == .native
    }

    /// What was recorded after the code had gone out: seconds to the end of the file, and whether anything but the redirect itself
    /// and what its page loads.
    ///
    /// Of an import, what a page sends is in the file that has the page, and what an app sends in one that has anything of the login.
    private func rest(after delivery: CodeDelivery, _ flow: Flow) -> (seconds: Int64, hasExchange: Bool) {
        let index = flow.surroundings
        let places = delivery.receiver == .page ? [delivery.exchange] : flow.exchanges
        let isImported = !flow.capture[delivery.exchange].provenance.seen.isEmpty
        let seen = isImported ? places.flatMap { flow.capture[$0].provenance.seen } : []
        let orders =
            seen.isEmpty ? [index.order] : index.derived.value { FileOrders(of: index) }.orders(of: seen)
        let later = orders.map { order in
            order[order.partitionPoint { index.position[$0] > index.position[delivery.exchange] }...]
        }
        let hasExchange = later.joined().contains { index in
            let exchange = flow.capture[index]
            return exchange.request.url.normalizedWithoutQuery
                != delivery.response.target.normalizedWithoutQuery
                && !(delivery.receiver == .page
                    && (Asset.isAsset(exchange) || FirebaseHelper.isPart(exchange.request.url)))
        }
        let end =
            seen.isEmpty
            ? index.latest.end
            : later.compactMap(\.last).map { flow.capture[$0].endedAt }.max()
                ?? flow.capture[delivery.exchange].endedAt
        return (max(0, (end - flow.capture[delivery.exchange].endedAt).components.seconds), hasExchange)
    }
}
