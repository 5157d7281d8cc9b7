import Captures
import Flows
import JOSE
import JSON
import OAuth

/// A client's assertion that is made for another client than the one that shows it, or for none (RFC 7523, section 3 (1, 2)).
struct AssertionSubject {
    let assertion: ClientAssertion
    /// The client that issuer and subject had to be; nil where it is not known.
    let expected: Parameter?

    /// Nil of a call whose assertion names its client, or a whole other client, which is told as that, and of one without.
    init?(otherThanOf call: ClientCall, in flow: Flow) {
        guard let assertion = call.assertion, assertion.token.claims != nil else { return nil }
        if FederatedAssertion(of: call) != nil, call.answer.isSuccess || AssertionRefusal.of(call) != nil {
            return nil
        }
        let asked = flow.authorizationRequests.lazy.compactMap { $0.parameters.parameter("client_id") }.first
        let own = call.parameters.parameter("client_id").flatMap {
            $0.value.isEmpty || Placeholder.isOne($0.value) ? nil : $0
        }
        let issuer = assertion.token.issuer.map(ByteText.init)
        let subject = assertion.token.subject.map(ByteText.init)
        let named = (own ?? asked).map { ByteText($0.value) }
        if named != nil, issuer == named, subject == named { return nil }
        // A whole other client that exchanges the code, or pushes the request, is told as that.
        let isOtherClient =
            (call.kind == .token || call.kind == .pushedRequest) && issuer == subject && subject != nil
            && (own == nil || own.map { ByteText($0.value) } == subject)
        guard !isOtherClient else { return nil }
        self.assertion = assertion
        guard let expected = asked ?? own else {
            guard issuer == nil || issuer != subject else { return nil }
            self.expected = nil
            return
        }
        let client = ByteText(expected.value)
        // Made by an issuer of its own for this client: the provider knows it.
        if call.answer.isSuccess, issuer.map({ RecordedURL($0.text).isWeb }) ?? false { return nil }
        // The login's own, beside which the request names another one (RFC 7521, section 4.2).
        self.expected = issuer == client && subject == client ? own ?? expected : expected
    }
}
