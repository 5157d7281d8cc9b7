import Captures
import Flows
import OAuth

/// The cookies that a step of a sign-in is to come with, by what the pages before it set.
enum ExpectedCookies {
    /// The cookies that earlier pages set for this address; empty where one of them came.
    static func missing(at page: Int, after pages: ArraySlice<Int>, _ flow: Flow)
        -> [CookieDelivery.Setting]
    {
        let sent = Set(flow.capture[page].request.cookies.map(\.name))
        let expected = all(at: page, after: pages, flow)
        return expected.allSatisfy { !sent.contains($0.cookie.name) } ? expected : []
    }

    /// The cookies that earlier pages set for this address, and that came or did not.
    static func all(
        at page: Int,
        after pages: ArraySlice<Int>,
        _ flow: Flow,
        besides other: CookieDelivery.Obstacle? = nil
    ) -> [CookieDelivery.Setting] {
        let sending = sending(page, flow)
        var latest: [String: CookieDelivery.Setting] = [:]
        for earlier in pages {
            let other = flow.capture[earlier]
            for cookie in other.response?.setCookies ?? [] {
                let isGone = cookie.value.isEmpty || cookie.isDeletion(at: other.endedAt)
                latest[cookie.name] =
                    isGone
                    ? nil
                    : CookieDelivery.Setting(
                        cookie: cookie,
                        url: other.request.url,
                        at: other.endedAt,
                        exchange: earlier
                    )
            }
        }
        return latest.values.filter { setting in
            switch CookieDelivery.obstacle(for: setting, in: sending) {
            case nil, .sameSiteNoneInsecure, .secureOverHTTP, .expired: true
            case let obstacle: obstacle == other
            }
        }.sorted { ($0.exchange, $0.cookie.name) < ($1.exchange, $1.cookie.name) }
    }

    static func sending(_ page: Int, _ flow: Flow) -> CookieDelivery.Sending {
        CookieDelivery.Sending(of: flow.capture[page])
    }
}
