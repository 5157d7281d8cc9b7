import Captures
import OAuth

/// The files that tell of cookies that were set, and of no request with one: whether none was sent, or none was kept.
///
/// A browser that is new to all servers makes such a file, where the one cookie that it is given gets lost. So do recorders that leave
/// out what is sent: the logs of an app's own client, which do not know what its jar adds, and whatever tells of a login that went on
/// without what the browser had just been given for it.
struct UnsentCookies: Sendable {
    /// The names of the files that tell of a cookie that was set, those that tell of one together; an empty set of a capture that is
    /// no import.
    private var setting: Set<Set<String>> = []
    private var leavingOut: Set<Set<String>> = []

    init(_ index: CaptureIndex) {
        let capture = index.capture
        let recorders = capture.recordersByFile
        for exchange in capture.indices.lazy.map({ capture[$0] }) {
            guard let response = exchange.response,
                response.headers.contains("set-cookie") || !response.listedCookies.isEmpty
            else { continue }
            let files = RecordedCredentials.files(of: exchange)
            guard setting.insert(files).inserted else { continue }
            let names =
                files.isEmpty ? capture.recorders.map(\.name) : files.compactMap { recorders[$0]?.name }
            if names.contains(where: Self.appLogs.contains) { leavingOut.insert(files) }
        }
        guard !setting.isEmpty else { return }
        let exchanged = Set(
            index.messages.values.compactMap { message -> String? in
                guard case .token(let request) = message, request.answer.isSuccess else { return nil }
                return request.code
            }
        )
        let requests = Dictionary(grouping: index.authorizationRequests, by: \.state)
        for response in index.responses where response.error == nil {
            let own = requests[response.parameters["state"]] ?? []
            for step in Self.steps(of: response, to: own, exchanged, index) {
                leavingOut.insert(RecordedCredentials.files(of: capture[step]))
            }
        }
    }

    /// Whether a request that tells of no cookie was sent without one, as far as its file shows.
    func isOne(_ exchange: Exchange) -> Bool {
        // An empty field is what somebody left of one.
        guard !exchange.request.headers.contains("cookie") else { return false }
        let files = RecordedCredentials.files(of: exchange)
        guard !files.isEmpty else { return setting.contains([]) && !leavingOut.contains([]) }
        return setting.contains { !$0.isEmpty && $0.isSubset(of: files) }
            && !leavingOut.contains { !$0.isDisjoint(with: files) }
    }

    // MARK: - Left out

    /// The steps of a login that went on without a cookie that the browser had for them.
    ///
    /// `requests`: those with its state, in order of time.
    private static func steps(
        of response: AuthorizationResponse,
        to requests: [AuthorizationRequest],
        _ exchanged: Set<String>,
        _ index: CaptureIndex
    ) -> [Int] {
        guard let end = response.deliveredBy ?? response.callback else { return [] }
        let before = requests[
            ..<requests.partitionPoint { index.position[$0.exchange] >= index.position[end] }
        ]
        guard let request = before.last?.exchange else { return [] }
        let beginning = index.redirects(leadingTo: request).reduce(request) { $1 }
        var steps: [Int] = []
        if let delivery = response.deliveredBy, isLacking(delivery, since: beginning, false, index) {
            steps.append(delivery)
        }
        if let callback = response.callback, response.code.map(exchanged.contains) ?? false,
            index.capture[callback].response.map({ $0.status < 400 }) ?? false,
            isLacking(callback, since: beginning, true, index)
        {
            steps.append(callback)
        }
        return steps
    }

    /// Whether a request tells of no cookie, and the same browser was given one for it since the login began.
    private static func isLacking(
        _ request: Int,
        since beginning: Int,
        _ isFromOtherSite: Bool,
        _ index: CaptureIndex
    ) -> Bool {
        let target = index.capture[request]
        guard target.request.cookies.isEmpty, target.client.address == nil,
            index.position[beginning] < index.position[request]
        else { return false }
        var names: Set<String> = []
        for earlier in index.order[index.position[beginning]..<index.position[request]].suffix(mostBefore) {
            let setter = index.capture[earlier]
            guard setter.request.url.host == target.request.url.host, setter.endedAt <= target.startedAt,
                setter.request.userAgent == target.request.userAgent,
                RecordedCredentials.files(of: setter) == RecordedCredentials.files(of: target)
            else { continue }
            for cookie in setter.response?.setCookies ?? [] {
                if isFor(target, cookie, of: setter, isFromOtherSite) {
                    names.insert(cookie.name)
                } else {
                    names.remove(cookie.name)
                }
            }
        }
        return !names.isEmpty
    }

    /// Whether a browser that was given a cookie sends it along; where it is in doubt, it does not.
    private static func isFor(
        _ target: Exchange,
        _ cookie: SetCookie,
        of setter: Exchange,
        _ isFromOtherSite: Bool
    ) -> Bool {
        let url = target.request.urlOfBrowser
        let path = cookie.path ?? CookieScope.defaultPath(of: setter.request.url)
        let sameSite = cookie.sameSite?.asciiLowercased()
        let isOfHTTPS = url.scheme == "https" && setter.request.urlOfBrowser.scheme == "https"
        guard !cookie.value.isEmpty, !cookie.isDeletion(at: setter.endedAt),
            cookie.domain.map({ CookieScope.contains(host: url.host ?? "", domain: $0) }) ?? true,
            CookieScope.contains(path: url.path, cookiePath: path),
            isOfHTTPS || !cookie.isSecure, cookie.isSecure || sameSite != "none",
            !isFromOtherSite || target.request.method == "GET" && sameSite != "strict"
        else { return false }
        if let age = cookie.maxAge { return target.startedAt.seconds - setter.endedAt.seconds < age }
        return cookie.expiry.map { $0 > target.startedAt } ?? true
    }

    /// Exchanges between the beginning of a login and its end.
    private static let mostBefore = 200

    /// `log.creator.name` of logs that an app's own client writes, above its cookie jar.
    private static let appLogs: Set<String> = [
        "AFNetworking", "Alamofire", "Chucker", "FLEX", "Faraday", "Ktor", "Moya", "Newman", "OkHttp",
        "PrettyDioLogger", "Pulse", "Reactotron", "Wormholy", "dio", "netfox",
    ]
}
