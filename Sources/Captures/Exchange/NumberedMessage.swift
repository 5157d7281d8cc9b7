/// The message of a page of LemonLDAP::NG, which holds the number of it alone: a script puts the words in, in the reader's
/// language.
package enum NumberedMessage {
    /// The attribute that has the number.
    package static let attribute: StaticString = "trmsg"

    /// The number with the name that the provider's log and manual have for it (`PE108 PE_UNAUTHORIZEDURL`); nil for what is no
    /// number, or says that all is well.
    static func text(of number: String) -> String? {
        guard let number = Int(number), (0..<1000).contains(number), !positive.contains(number) else {
            return nil
        }
        return ["PE\(number)", names[number]].compactMap(\.self).joined(separator: " ")
    }

    /// Whether words begin with the number of what went wrong and its name, as ``text(of:)`` writes them.
    package static func begins(_ words: String) -> Bool {
        guard words.hasPrefix("PE") else { return false }
        let number = words.utf8.dropFirst(2).prefix { 0x30...0x39 ~= $0 }
        return (1...3).contains(number.count)
            && words.utf8[number.endIndex...].starts(with: " PE_".utf8)
    }

    /// Signed in, password changed, mail sent, logged out, address confirmed.
    private static let positive: Set = [0, 35, 46, 47, 72]

    /// Those of sign-ins and of requests to it as a provider.
    private static let names: [Int: String] = [
        1: "PE_SESSIONEXPIRED", 2: "PE_FORMEMPTY", 4: "PE_USERNOTFOUND", 5: "PE_BADCREDENTIALS",
        6: "PE_LDAPCONNECTFAILED", 7: "PE_LDAPERROR", 8: "PE_APACHESESSIONERROR", 10: "PE_BADCERTIFICATE",
        21: "PE_PP_ACCOUNT_LOCKED", 22: "PE_PP_PASSWORD_EXPIRED", 23: "PE_CERTIFICATEREQUIRED",
        24: "PE_ERROR", 25: "PE_PP_CHANGE_AFTER_RESET", 37: "PE_BADURL", 40: "PE_MALFORMEDUSER",
        41: "PE_SESSIONNOTGRANTED", 64: "PE_MISSINGREQATTR", 65: "PE_BADPARTNER", 75: "PE_FORBIDDENIP",
        76: "PE_CAPTCHAERROR", 77: "PE_CAPTCHAEMPTY", 81: "PE_NOTOKEN", 82: "PE_TOKENEXPIRED",
        84: "PE_UNAUTHORIZEDPARTNER", 90: "PE_OIDC_SERVICE_NOT_ALLOWED", 94: "PE_ISSUERMISSINGREQATTR",
        96: "PE_BADOTP", 103: "PE_NO_SECOND_FACTORS", 106: "PE_OIDC_AUTH_ERROR", 107: "PE_UNKNOWNPARTNER",
        108: "PE_UNAUTHORIZEDURL",
    ]
}
