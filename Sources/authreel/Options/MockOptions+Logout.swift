import Captures
import Provider

extension MockOptions {
    /// Where clients are told of a logout.
    ///
    /// - Throws: ``CommandFailure`` for what is no such address.
    func logoutAddresses() throws -> LogoutAddresses {
        var addresses = LogoutAddresses()
        addresses.backchannel = backchannelLogoutURI
        addresses.frontchannel = frontchannelLogoutURI
        if let uri = addresses.backchannel, !RecordedURL(uri).isOfServerOfThisMachine {
            throw CommandFailure(
                .usage,
                "--backchannel-logout-uri takes an http or https URL of this machine, not \(uri)",
                hint: Invocation.command("mock", "--backchannel-logout-uri", "http://localhost:3000/logout")
            )
        }
        if let uri = addresses.frontchannel, !RecordedURL(uri).isOfServer {
            throw CommandFailure(
                .usage,
                "--frontchannel-logout-uri takes an http or https URL without a fragment, not \(uri)",
                hint: Invocation.command("mock", "--frontchannel-logout-uri", "http://localhost:3000/logout")
            )
        }
        return addresses
    }
}
