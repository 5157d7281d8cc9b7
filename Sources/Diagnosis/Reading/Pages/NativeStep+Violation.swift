import Flows

extension NativeStep {
    /// Of a sign-in that did not go beyond this step, which is `last`; `pages`: those of the provider, in order of time.
    func violation(at last: Int, of pages: [Int], in flow: Flow) -> Violation {
        let posted = pages.filter { flow.isCredentialPost($0) }
        let address = flow.urlEvidence(of: last, note: "the last step at the provider's API")
        let isRefused = told != nil && posted.last == last
        return Violation(
            [address, told, LeftPage.entered(posted, flow)].compactMap(\.self),
            explanation: isRefused ? LeftPage.refused.explanation : Self.explanation,
            fix: isRefused ? LeftPage.refused.fix : Self.fix,
            title: isRefused ? LeftPage.refused.title : Self.title,
            exchange: last
        )
    }
}
