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
            throw CommandFailure.unfit(
                uri,
                for: "--backchannel-logout-uri",
                taking: "an http or https URL of this machine",
                hint: Invocation.command("mock", "--backchannel-logout-uri", "http://localhost:3000/logout")
            )
        }
        if let uri = addresses.frontchannel, !RecordedURL(uri).isOfServer {
            throw CommandFailure.unfit(
                uri,
                for: "--frontchannel-logout-uri",
                taking: "an http or https URL without a fragment",
                hint: Invocation.command("mock", "--frontchannel-logout-uri", "http://localhost:3000/logout")
            )
        }
        return addresses
    }
}
