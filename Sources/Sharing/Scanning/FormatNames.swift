/// What members are called in any capture: whatever else is called so, these stay.
enum FormatNames {
    /// The member names of HAR 1.2, of what browsers add to it, and of `_authreel`.
    static let members = Set(
        WordTable.words(
            """
            log version creator browser pages entries comment name value startedDateTime id title pageTimings onContentLoad \
            onLoad pageref time request response cache timings serverIPAddress connection method url httpVersion cookies \
            headers queryString postData headersSize bodySize status statusText content redirectURL path domain expires \
            httpOnly secure sameSite maxAge mimeType params text fileName contentType size compression encoding \
            beforeRequest afterRequest lastAccess eTag hitCount blocked dns connect send wait receive ssl \
            _initiator _priority _resourceType _fromCache _transferSize _error _errorMessage _failureText _blockedReason \
            _tlsError _webSocketMessages _connectionId type opcode data stack \
            _authreel _response address alpn cipher client clientCertificate clientTLS contentCoding malformed offset pid process \
            pushed reason received sent serverAddress serverName serverTLS side trailers truncated tunnel upgradedTo \
            seen file entry shifted differs imported files members clock ahead within of by count aligned redacted cut_short
            """
        )
    )

    /// The same in small letters.
    static let inSmallLetters = Set(members.map { $0.lowercased() })
}
