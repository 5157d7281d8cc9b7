import Captures
import OAuth

extension ClientAuthentication {
    /// That of a request whose parameters are a form (RFC 6749, section 2.3.1).
    init(of request: RecordedRequest, _ form: QueryItems) {
        self.init(of: request, exchange: 0, parameters: Parameters(form, of: 0, in: .requestBody))
    }
}
