#pragma once
// What every store promises, as tests. An implementation's test file includes this header, once in
// its program, and instantiates StoreContract, AccountContract, DocumentContract, ListingContract
// and RaceContract with a factory; they must pass unchanged.

#include "store/contract/accounts.h"
#include "store/contract/documents.h"
#include "store/contract/leases.h"
#include "store/contract/listing.h"
#include "store/contract/races.h"
