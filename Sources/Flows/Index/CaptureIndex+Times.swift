package import Captures
package import OAuth

/// What was asked when.
extension CaptureIndex {
    /// The authorization requests that were sent after a time, at most so much later.
    package func authorizationRequests(after time: Timestamp, within span: Duration)
        -> ArraySlice<AuthorizationRequest>
    {
        let first = authorizationRequests.partitionPoint { capture[$0.exchange].startedAt > time }
        let later = authorizationRequests[first...]
        return later[..<later.partitionPoint { capture[$0.exchange].startedAt - time > span }]
    }
}
