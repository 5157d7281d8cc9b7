package import Captures

extension Exchange {
    /// Whether a browser asked ahead of its user and was refused: it throws that away, and asks anew when its user goes there.
    package var isRefusedAhead: Bool {
        request.isPrefetch && (response?.status ?? 0) >= 400 || isErrorAhead
    }

    /// Whether a browser asked ahead of its user, and what it got is an error of the protocol, on its way to the app or with it.
    ///
    /// Nobody knows whether its user went there at all; who does asks anew, or stays there and shows it by what is asked next.
    package var isErrorAhead: Bool {
        guard request.isPrefetch else { return false }
        let location = response?.location.map { RecordedURL($0) }
        return [request.url, location].compactMap(\.self).contains { url in
            url.queryAndFragmentItems.items.contains {
                $0.name == "error" && !$0.value.isEmpty
            }
        }
    }
}
