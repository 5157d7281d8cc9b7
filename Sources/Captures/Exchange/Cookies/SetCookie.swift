/// One `Set-Cookie` header field, taken apart as a user agent does (RFC 6265, section 5.2).
package struct SetCookie: Sendable, Hashable {
    package var name: String
    package var value: String
    package var domain: String?
    package var path: String?
    /// Seconds as written; nil where there is none or it is not a number.
    package var maxAge: Int64?
    /// `Expires` as written; of RFC 3339 where the cookie ``isListed``.
    package var expires: String?
    package var isSecure: Bool
    package var isHTTPOnly: Bool
    /// `Strict`, `Lax`, `None`, as written.
    package var sameSite: String?
    /// Attributes that none of the members above holds, as written (`Partitioned`, `Priority=High`).
    package var otherAttributes: [String]
    /// The bytes of the field are no UTF-8: each character of the texts above is one of them (see ``Latin1``).
    package var isLatin1 = false
    /// A HAR lists it, and has no field that set it.
    package var isListed = false

    package init(
        name: String,
        value: String,
        domain: String? = nil,
        path: String? = nil,
        maxAge: Int64? = nil,
        expires: String? = nil,
        isSecure: Bool = false,
        isHTTPOnly: Bool = false,
        sameSite: String? = nil,
        otherAttributes: [String] = []
    ) {
        self.name = name
        self.value = value
        self.domain = domain
        self.path = path
        self.maxAge = maxAge
        self.expires = expires
        self.isSecure = isSecure
        self.isHTTPOnly = isHTTPOnly
        self.sameSite = sameSite
        self.otherAttributes = otherAttributes
    }

    /// When it ends as `Expires` says; nil where that says nothing which can be read.
    ///
    /// Years that no ``Timestamp`` holds, as 9999 for "never", are the first or last time that one does. `Max-Age` is not
    /// looked at, which counts before it.
    package var expiry: Timestamp? {
        expiryParts.map { Timestamp(seconds: $0.seconds) + .nanoseconds($0.nanoseconds) }
    }

    /// Whether it is set to be forgotten: it has run out by the time at which it is set (RFC 6265, section 5.3).
    package func isDeletion(at time: Timestamp) -> Bool {
        if let maxAge { return maxAge <= 0 }
        // The first day of the epoch is over in a capture without times, too.
        return expiry.map { $0 <= time || $0 < Timestamp(seconds: 86_400) } ?? false
    }

    var expiryParts: Timestamp.Parts? {
        expires.flatMap { text in
            Timestamp.parts(ofHTTPDate: text) ?? (isListed ? Timestamp.parts(ofRFC3339: text) : nil)
        }
    }

    /// The name as it was sent.
    package var sentName: SentText { SentText(name, isLatin1: isLatin1) }

    /// Name and value, which a `Cookie` header brings back.
    package var pair: HeaderFields.Field { HeaderFields.Field(name: name, value: value, isLatin1: isLatin1) }
}
