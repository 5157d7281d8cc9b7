import LibCrypto
import Testing

struct TLSAlertTests {
    @Test func fiveAlertsRejectACertificate() {
        #expect((0...255).filter { TLSAlert(code: UInt8($0)).rejectsCertificate } == [42, 43, 45, 46, 48])
    }

    @Test func alertsHaveTheNamesOfTheRegistry() {
        #expect(TLSAlert(code: 48).name == "unknown_ca")
        #expect(TLSAlert.certificateRequired.name == "certificate_required")
        #expect(TLSAlert(code: 99).name == "alert 99")
    }
}
