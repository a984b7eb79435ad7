// Decimal texts to scaled integers, exactly or not at all.
#pragma once

namespace toastergen::bindings {

__extension__ typedef __int128 wide;

// Reads `[-+]digits[.digits][e[-+]digits]` into `out` = value * 10^scale. Returns null, or why it does not fit.
inline const char* parse_decimal(const char* text, int precision, int scale, wide& out) {
    const bool negative = *text == '-';
    text += *text == '-' || *text == '+' ? 1 : 0;
    constexpr int most_digits = 4000; // exponents beyond this cannot matter, and sums of them cannot overflow
    char digits[64];
    int count = 0;    // significant digits kept
    int exponent = 0; // of the last kept digit
    bool seen = false;
    bool lost = false;
    bool fraction = false;
    for (; (*text >= '0' && *text <= '9') || (*text == '.' && !fraction); ++text) {
        if (*text == '.') {
            fraction = true;
            continue;
        }
        seen = true;
        if (count == 0 && *text == '0') {
            exponent -= fraction ? 1 : 0;
        } else if (count < 64) {
            digits[count++] = *text;
            exponent -= fraction ? 1 : 0;
        } else {
            lost |= *text != '0';
            exponent += fraction ? 0 : 1;
        }
    }
    if (!seen) {
        return "not a finite number";
    }
    if (*text == 'e' || *text == 'E') {
        ++text;
        const bool minus = *text == '-';
        text += *text == '-' || *text == '+' ? 1 : 0;
        int shift = 0;
        for (; *text >= '0' && *text <= '9'; ++text) {
            shift = shift < most_digits ? shift * 10 + (*text - '0') : shift;
        }
        exponent += minus ? -shift : shift;
    }
    if (*text != '\0') {
        return "not a finite number";
    }
    while (count > 0 && digits[count - 1] == '0') {
        --count;
        ++exponent;
    }
    out = 0;
    if (count == 0) {
        return nullptr;
    }
    if (lost || exponent + scale < 0) {
        return "more digits after the point than the type keeps";
    }
    if (count + exponent + scale > precision) {
        return "more digits than the type keeps";
    }
    for (int at = 0; at < count + exponent + scale; ++at) {
        out = out * 10 + (at < count ? digits[at] - '0' : 0);
    }
    out = negative ? -out : out;
    return nullptr;
}

} // namespace toastergen::bindings
