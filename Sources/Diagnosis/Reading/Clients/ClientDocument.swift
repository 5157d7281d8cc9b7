import Captures
import OAuth

/// A client whose id is the URL of a document that it describes itself by: ATProto, Solid, IndieAuth, and what MCP has of them
/// (draft-ietf-oauth-client-id-metadata-document).
///
/// The provider fetches the document when it meets the client; what goes wrong with that is in no capture of the client's.
enum ClientDocument {
    static let title = "The provider could not use the client's own metadata document"
    static let explanation = """
        The client_id is the URL of a document in which the client describes itself. The provider fetches it when the client asks for something, and did not \
        get it, or found something in it that it does not take. It names what.
        """
    static let fix = """
        Fetch the client_id yourself, from outside of the app's network: it has to answer 200 with JSON at once, without a redirect, a sign-in or a check for \
        bots. Its client_id member has to be that very URL, and redirect_uris, scope, grant_types and the authentication method have to hold what is sent. \
        Providers keep a copy for some minutes.
        """

    /// Whether a refusal is about such a document.
    static func isRefused(_ client: String?, _ error: String?, _ text: String) -> Bool {
        guard let url = client.map({ RecordedURL($0) }), url.isWeb else { return false }
        let lower = text.asciiLowercased()
        return error == "invalid_client_metadata"
            || ["client metadata", "metadata document", "client id document", "client registration"].contains(
                where: lower.containsBytes
            )
    }
}
