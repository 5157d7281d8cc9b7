package import Captures
import JOSE
import JSON

/// A request to the token endpoint with its answer (RFC 6749, sections 4.1.3, 5 and 6).
package struct TokenRequest: Sendable {
    private struct Members: Sendable {
        var exchange: Int
        var endpoint: RecordedURL
        var parameters: Parameters
        var authentication: ClientAuthentication
        var answer: Answer
        var startedAt: Timestamp
    }

    @Shared private var members: Members

    /// Which exchange it was sent with.
    package var exchange: Int { members.exchange }
    /// Without what the query has of the request.
    package var endpoint: RecordedURL { members.endpoint }
    /// Under the names of RFC 6749, each with the place it stands at.
    package var parameters: Parameters { members.parameters }
    /// Who the client says it is.
    package var authentication: ClientAuthentication { members.authentication }
    /// What it was answered, an error within a success included.
    package var answer: Answer { members.answer }
    /// When it was sent.
    package var startedAt: Timestamp { members.startedAt }

    /// `endpoint`: nil where no query belongs to it.
    init(
        exchange: Int,
        request: RecordedRequest,
        endpoint: RecordedURL? = nil,
        parameters: Parameters,
        answer: Answer,
        startedAt: Timestamp
    ) {
        members = Members(
            exchange: exchange,
            endpoint: endpoint ?? RecordedURL(request.url.withoutQuery),
            parameters: parameters,
            authentication: ClientAuthentication(of: request, exchange: exchange, parameters: parameters),
            answer: answer,
            startedAt: startedAt
        )
    }

    /// `authorization_code` where none is named and a code is sent, as GitHub's endpoint wants it.
    package var grantType: String { parameters["grant_type"] ?? (code == nil ? "" : "authorization_code") }
    /// `code`, as it was sent.
    package var code: String? { parameters["code"] }
    /// `redirect_uri`, to be the same as the login's (RFC 6749, section 4.1.3).
    package var redirectURI: String? { parameters["redirect_uri"] }
    /// `code_verifier` (RFC 7636, section 4.5).
    package var codeVerifier: String? { parameters["code_verifier"] }
    /// The one that is sent; see ``issuedRefreshToken``.
    package var refreshToken: String? { parameters["refresh_token"] }
    /// By whatever method the client names itself.
    package var clientID: String? { authentication.clientID?.value }
    /// A token that is exchanged for another one: RFC 8693, section 2.1, and WSO2's switch of organizations.
    package var exchangedToken: String? {
        parameters["subject_token"] ?? (grantType == "organization_switch" ? parameters["token"] : nil)
    }
    /// What a step of a sign-in at the token endpoint goes on with: Auth0's and Okta's second step, and Entra's native
    /// authentication.
    package var continuation: String? {
        Self.continuations.lazy.compactMap { parameters[$0] }.first { !$0.isEmpty }
    }
    /// What the next step may go on with, where there is one.
    package var nextContinuation: String? {
        Self.continuations.lazy.compactMap { answer.parameters[$0] }.first { !$0.isEmpty }
    }
    private static let continuations = ["continuation_token", "mfa_token"]
    /// RFC 6749, section 6; Salesforce's SDKs for phones ask for the cookies of its pages along with the tokens.
    package var isRefresh: Bool { ["refresh_token", "hybrid_refresh"].contains(grantType) }
    /// RFC 6749, section 4.1.3, and the same of Salesforce's.
    package var isCodeExchange: Bool { ["authorization_code", "hybrid_auth_code"].contains(grantType) }

    // MARK: - The answer

    /// Whether a poll was answered with 400, or with Google's 428, and the capture lacks with what: mostly that the user has not decided
    /// (RFC 8628, section 3.5).
    package var mayBePending: Bool {
        GrantType.decoupled.contains(grantType) && [400, 428].contains(answer.status) && answer.error == nil
            && answer.json == nil && !answer.isBodyWhole && !answer.isBrokenOff
    }

    /// `access_token`; nil where none came.
    package var accessToken: String? { issued("access_token") }
    /// The one that came back, which may be a new one.
    package var issuedRefreshToken: String? { issued("refresh_token") }
    /// A null came as an empty value, and is no token.
    private func issued(_ name: String) -> String? {
        answer.parameters[name].flatMap { $0.isEmpty ? nil : $0 }
    }
    /// As it came: ``IDToken/opened(_:)`` has what is inside of an encrypted one.
    package var idToken: IDToken? {
        answer.parameters.parameter("id_token").flatMap { IDToken($0) }
    }
}
