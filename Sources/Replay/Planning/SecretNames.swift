import Captures
import Flows
import JOSE

/// Names of values that a person or a client knows and no capture should hold.
package enum SecretNames {
    /// What a client proves itself with.
    static let clientSecret = "client_secret"
    /// The option's name for the key that signs assertions and request objects.
    package static let clientKey = "client_key"

    /// Who signs in, whatever a page calls it.
    package static let username = "username"

    /// Whether a secret is entered on pages that the recording does not have, whatever the plan asks for.
    ///
    /// `byBrowser`: which enters what its pages ask for; a replay without one signs in with name and password.
    package static func isEntered(_ name: String, byBrowser: Bool) -> Bool {
        [username, "password"].contains(name)
            || byBrowser && (isTyped(name) || PageFilling.isPersonsName(name))
    }

    /// Whether a form field, or a member of a page's JSON, is typed by the person who signs in and kept secret.
    ///
    /// `type`: of the form's field, where the page is known.
    static func isTyped(_ name: String, type: String? = nil) -> Bool {
        if type == "password" { return true }
        let name = name.lowercased()
        return passwords.contains(where: name.containsBytes) || name == "pin" || oneTimeCodes.contains(name)
    }

    /// Whether the value is one that works once: the recorded one is of no use.
    static func isOneTime(_ name: String) -> Bool { oneTimeCodes.contains(name.lowercased()) }

    /// Whether a recorded value can be sent again: it is there, and was not blanked out.
    static func isUsable(_ value: String) -> Bool { !value.isEmpty && !Placeholder.isOne(value) }

    private static let passwords = ["password", "passwd", "passwort", "passphrase", "pwd", "passcode"]

    private static let oneTimeCodes: Set<String> = [
        "otp", "totp", "otpcode", "otp_code", "one_time_code", "onetimecode", "mfa_code", "mfacode",
        "verification_code", "verificationcode", "sms_code", "smscode",
    ]
}
