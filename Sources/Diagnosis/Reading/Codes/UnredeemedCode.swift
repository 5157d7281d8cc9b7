import Captures
import Flows
import JOSE
import JSON
import OAuth

/// A code that came to an app or a page, and that nobody is seen to have exchanged.
struct UnredeemedCode: Sendable {
    let delivery: CodeDelivery
    /// What was recorded after it had gone out.
    let seconds: Int64
    /// Whether there is more in it than the redirect itself and what its page loads.
    let isFollowed: Bool

    /// What a flow shows of its last code.
    enum Reading: Sendable {
        /// It was exchanged, may still be, or is for a server.
        case holds
        case found(UnredeemedCode)
        /// Why the capture does not show it.
        case unknown(String)

        init(of flow: Flow) { self = flow.derived.value { UnredeemedCode.reading(of: flow) } }
    }

    private static func reading(of flow: Flow) -> Reading {
        guard let response = flow.authorizationResponses.last(where: { $0.code != nil }),
            let delivery = CodeDelivery(response, in: flow),
            delivery.receiver == .app || delivery.receiver == .page
        else { return .holds }
        guard !flow.tokenRequests.contains(where: { isOf(delivery, $0, flow) }) else { return .holds }
        let position = flow.surroundings.position
        if flow.surroundings.tokenRequests.contains(where: {
            !$0.isRecorded && position[$0.exchange] > position[delivery.exchange]
        }) {
            return .unknown(Gap.tokenRequestBody)
        }
        if delivery.receiver == .app, BrowserRecorder.wrote(flow.capture),
            !flow.exchanges.contains(where: { flow.capture[$0].request.isByNativeApp })
        {
            return .unknown("a browser's recorder does not see what the app beside it sends")
        }
        let rest = rest(after: delivery, flow)
        guard rest.seconds >= 30 || rest.hasExchange else { return .holds }
        guard let isPassedOn = delivery.isPassedOn(in: flow) else {
            return .unknown(
                "later requests are encrypted, were not saved whole, or went through a tunnel that was not opened"
            )
        }
        guard !isPassedOn else { return .holds }
        if hasUnseenToken(after: delivery, flow) || isLoggedOut(after: delivery, flow) {
            return .unknown("a token was used afterwards that came by a request outside of this capture")
        }
        return .found(UnredeemedCode(delivery: delivery, seconds: rest.seconds, isFollowed: rest.hasExchange))
    }

    /// Whether a token request is for this code, also where it was altered on the way.
    private static func isOf(_ delivery: CodeDelivery, _ request: TokenRequest, _ flow: Flow) -> Bool {
        guard request.isCodeExchange else { return false }
        // By the clocks of two machines an exchange may seem to come before its code.
        if request.code == delivery.code.value { return true }
        let position = flow.surroundings.position
        return position[request.exchange] > position[delivery.exchange]
    }

    /// Whether the provider took a token behind it, at UserInfo or for a new one, that no answer of the capture brought.
    private static func hasUnseenToken(after delivery: CodeDelivery, _ flow: Flow) -> Bool {
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
    private static func isLoggedOut(after delivery: CodeDelivery, _ flow: Flow) -> Bool {
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

    /// What was recorded after the code had gone out: seconds to the end of the file, and whether anything but the redirect itself
    /// and what its page loads.
    ///
    /// Of an import, what a page sends is in the file that has the page, and what an app sends in one that has anything of the login.
    private static func rest(after delivery: CodeDelivery, _ flow: Flow) -> (
        seconds: Int64, hasExchange: Bool
    ) {
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
