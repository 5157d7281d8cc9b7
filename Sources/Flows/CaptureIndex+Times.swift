package import Captures
package import OAuth

/// What was asked when.
extension CaptureIndex {
    /// The authorization requests that were sent after a time, at most so much later.
    package func authorizationRequests(after time: Timestamp, within span: Duration)
        -> ArraySlice<AuthorizationRequest>
    {
        let first = place { $0 > time }
        return authorizationRequests[first..<max(first, place { $0 - time > span })]
    }

    /// Where the requests begin whose time is past something.
    private func place(_ isPast: (Timestamp) -> Bool) -> Int {
        var range = 0..<authorizationRequests.count
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            if isPast(capture[authorizationRequests[middle].exchange].startedAt) {
                range = range.lowerBound..<middle
            } else {
                range = (middle + 1)..<range.upperBound
            }
        }
        return range.lowerBound
    }
}
